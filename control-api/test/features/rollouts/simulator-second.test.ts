// SPDX-License-Identifier: MIT
// The second thousand of the seeds of `npm run simulate`.
import { keepPromises } from './promises.ts'

keepPromises(1001)
