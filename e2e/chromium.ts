// SPDX-License-Identifier: MIT
// Debian's Chromium without its window (chromium-headless-shell): the same pages for two thirds of the processor time.

const SHELL = '/usr/lib/chromium/chromium-headless-shell'
const isRoot = process.getuid?.() === 0

export const launchOptions = {
  executablePath: process.env.FARMSTEAD_CHROMIUM || SHELL,
  // Chromium refuses its sandbox to root, and a small /dev/shm crashes it in containers.
  args: ['--disable-dev-shm-usage', ...(isRoot ? ['--no-sandbox'] : [])],
}
