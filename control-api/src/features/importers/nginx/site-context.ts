// SPDX-License-Identifier: MIT
// What a server's rules are read from.
import type { Findings } from '../findings.ts'
import type { Directive } from '../tree.ts'
import type { TypeMap } from './maps.ts'
import type { Locations, Scope } from './scope.ts'
import type { Steps } from './steps.ts'

export type Zone = { directive: Directive; key: string; requests: number; perSeconds: number }
export type SiteContext = {
  findings: Findings
  server: Scope
  locations: Locations
  steps: Steps
  mapOf: (variable: string) => TypeMap | null
  zoneOf: (name: string) => Zone | null
}
