// SPDX-License-Identifier: MIT
// What an operator sees, as assertions.
import { expect as base } from '@playwright/test'
import { toBeRefused } from './to-be-refused.ts'
import { toBeServing } from './to-be-serving.ts'
import { toShowState } from './to-show-state.ts'

export const expect = base.extend({ toBeRefused, toBeServing, toShowState })
