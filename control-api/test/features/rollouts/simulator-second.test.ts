// SPDX-License-Identifier: MIT
// Seeds of the second thousand of `npm run simulate`.
import { keepPromises } from './promises.ts'

keepPromises(1001)
