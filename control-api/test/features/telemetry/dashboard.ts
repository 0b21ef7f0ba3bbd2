// SPDX-License-Identifier: MIT
// docs/grafana/farmstead.json, for who looks at it.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DashboardFile } from './dashboard-type.ts'

const FILE = resolve(import.meta.dirname, '../../../../docs/grafana/farmstead.json')
export const dashboardText = readFileSync(FILE, 'utf8')
export const dashboard: DashboardFile = JSON.parse(dashboardText)

export type PanelQuery = {
  panel: string
  expression: string
  /** What stands on both sides of an "or": native histograms, and classic ones for who has no native. */
  alternatives: number
}

/** What each panel asks for, with values in place of the dashboard's variables; panels are in no folded rows. */
export const panelQueries = (values: Readonly<Record<string, string>>): PanelQuery[] =>
  (dashboard.panels ?? []).flatMap((panel) => {
    if ('panels' in panel && (panel.panels?.length ?? 0) > 0) throw new Error('a folded row')
    const targets = 'targets' in panel ? (panel.targets ?? []) : []
    return targets.map(({ expr }) => {
      const expression = String(expr).replaceAll(
        /\$(\w+)/g,
        (variable, name) => values[name] ?? variable,
      )
      return {
        panel: `${panel.id} ${panel.title}`,
        expression,
        alternatives: expression.split(' or ').length,
      }
    })
  })

/** What the choices of the dashboard's variables are read from: "label_values(SERIES, LABEL)". */
export const variableQueries = (): { series: string; label: string }[] =>
  (dashboard.templating?.list ?? []).flatMap(({ query }) => {
    const said = typeof query === 'object' && query !== null ? String(query.query) : ''
    const [, series, label] = /^label_values\((\w+), (\w+)\)$/.exec(said) ?? []
    return series !== undefined && label !== undefined ? [{ series, label }] : []
  })
