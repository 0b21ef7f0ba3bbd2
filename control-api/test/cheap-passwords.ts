// SPDX-License-Identifier: MIT
// A password as people have it costs a fifth of a second to check and 64 MiB, and tests make thousands. What a
// password costs is no part of what they are about; `dearPasswords` is for those that are.
import { type Cost, passwordCost } from '../src/people/passwords.ts'

const people: Cost = { memoryKib: 65_536, passes: 3 }
export const cheapPasswords = () => Object.assign(passwordCost, { memoryKib: 8, passes: 1 })
export const dearPasswords = () => Object.assign(passwordCost, people)
