// SPDX-License-Identifier: MIT
/** A TCP port that nobody has and nobody else is given while this process lives. */
export function freePort(range?: { first?: number; end?: number }): Promise<number>
export function freePorts(count: number): Promise<number[]>
