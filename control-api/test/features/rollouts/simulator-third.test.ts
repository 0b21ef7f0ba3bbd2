// SPDX-License-Identifier: MIT
// The third thousand of the seeds of `npm run simulate`.
import { keepPromises } from './promises.ts'

keepPromises(2001)
