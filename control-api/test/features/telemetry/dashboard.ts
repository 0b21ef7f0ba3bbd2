// SPDX-License-Identifier: MIT
// docs/grafana/farmstead.json, for who looks at it.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DashboardFile } from './dashboard-type.ts'

const FILE = resolve(import.meta.dirname, '../../../../docs/grafana/farmstead.json')
export const dashboardText = readFileSync(FILE, 'utf8')
export const dashboard: DashboardFile = JSON.parse(dashboardText)

/** What each panel asks for, with values in place of the dashboard's variables. */
export const expressions = (values: Readonly<Record<string, string>>): string[] =>
  (dashboard.panels ?? [])
    .flatMap((panel) => ('targets' in panel ? (panel.targets ?? []) : []))
    .map(({ expr }) =>
      String(expr).replaceAll(/\$(\w+)/g, (variable, name) => values[name] ?? variable),
    )
