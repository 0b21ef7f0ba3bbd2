// SPDX-License-Identifier: MIT
import { everythingWorksBehind } from './pages.ts'

everythingWorksBehind('caddy')
