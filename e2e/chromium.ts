// SPDX-License-Identifier: MIT
// Debian's Chromium without its window (chromium-headless-shell): the same pages for two thirds of the processor time.

const SHELL = '/usr/lib/chromium/chromium-headless-shell'
/** How letters are drawn is else a matter of each machine: its fonts, how they are hinted, and whether in colours. */
const FONTS = new URL('fonts.conf', import.meta.url).pathname
const isRoot = process.getuid?.() === 0

export const launchOptions = {
  executablePath: process.env.FARMSTEAD_CHROMIUM || SHELL,
  env: { ...process.env, FONTCONFIG_FILE: FONTS },
  // Chromium refuses its sandbox to root, and a small /dev/shm crashes it in containers.
  args: ['--disable-dev-shm-usage', ...(isRoot ? ['--no-sandbox'] : [])],
}
