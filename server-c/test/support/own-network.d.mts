// SPDX-License-Identifier: MIT
/** Why there can be none; false: there can. */
export const noOwnNetwork: string | false
export const isInOwnNetwork: boolean
/** `runner`: what Node.js is given before the file; its own runner when left out. */
export function runInOwnNetwork(
  address: string,
  runner?: readonly string[],
): Promise<{ code: number | null; said: string }>
/** Of what comes from `port` such a share (0…1) is lost, each packet by chance. */
export function loseAtRandom(port: number, share: number): void
export function loseNothing(): void
export function setSegmentBytes(bytes: number): void
export function setSendBuffer(bytes: number): void
export function setReceiveBuffer(bytes: number): void
