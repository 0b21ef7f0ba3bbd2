// SPDX-License-Identifier: MIT
// Seeds of the third thousand of `npm run simulate`.
import { keepPromises } from './promises.ts'

keepPromises(2001)
