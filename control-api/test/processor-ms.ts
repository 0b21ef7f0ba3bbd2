// SPDX-License-Identifier: MIT

/** What it took of a processor, in this thread: how long that is by the clock, on a machine with others, says nothing of it. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
