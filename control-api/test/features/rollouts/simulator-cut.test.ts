// SPDX-License-Identifier: MIT
// Seeds with transactions of at most two nodes, so that whatever a rollout does is cut: nodes, people and
// crashes come between the parts.
import { CUT } from '../../simulator/world.ts'
import { keepPromises } from './promises.ts'

keepPromises(1, { scope: CUT })
