// SPDX-License-Identifier: MIT
export type Tree = { name: string; bytes: number; paths: readonly string[]; isSparse?: boolean }
export type ThrottledDisk = {
  root: string
  /** MAJOR:MINOR of what is held back. */
  number: string
  makeCold(): void
  close(): void
}
export function whyNot(): string | null
export function openDisk(folder: string, tree: Tree, isReal: boolean): ThrottledDisk

export class Throttle {
  constructor(disk: ThrottledDisk, limits: { bytes?: number; reads?: number })
  hold(): void
  lift(): void
  /** `cores`: as taskset has them. */
  wrap(cores: number | string): string[]
  close(): void
}
