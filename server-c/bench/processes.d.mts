// SPDX-License-Identifier: MIT
// Of processes.mjs, what TypeScript's side uses.
export function machineMicroseconds(): { busy: number; stolen: number }
