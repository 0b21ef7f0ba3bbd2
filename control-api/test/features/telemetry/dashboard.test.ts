// SPDX-License-Identifier: MIT
// The dashboard for Grafana: what Grafana says a dashboard is, and what it does not say. That each expression finds something:
// prometheus.test.ts.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../helper.ts'
import { dashboard, dashboardText, panelQueries, variableQueries } from './dashboard.ts'

const execute = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../../..')
const STRICT = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext']

/** By the compiler: the text as a literal of that type. What it may not have, is an error too. */
async function complaints(text: string): Promise<string> {
  const type = join(import.meta.dirname, 'dashboard-type.ts')
  const file = join(tempDir(), 'dashboard.ts')
  writeFileSync(
    file,
    `import type { DashboardFile } from '${type}'\nexport const file: DashboardFile = ${text}`,
  )
  const words = [...STRICT, '--allowImportingTsExtensions', '--types', '', file]
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  return execute(process.execPath, [tsc, ...words]).then(
    () => '',
    ({ stdout }) => stdout,
  )
}

describe('the dashboard for Grafana', () => {
  it('is one by the types that Grafana publishes, and another would not be', async () => {
    expect(await complaints(dashboardText)).toBe('')
    expect(await complaints(dashboardText.replace('"absolute"', '"absolut"'))).toMatch(/absolut/)
    expect(await complaints(dashboardText.replace('"gridPos"', '"gridPosition"'))).toMatch(
      /gridPosition/,
    )
  })

  it('has each panel once, in a place of its own', () => {
    const panels = dashboard.panels ?? []
    expect(panels.length).toBeGreaterThan(15)
    const ids = panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const taken = new Set<string>()
    for (const { title, gridPos } of panels) {
      if (!gridPos) throw new Error(`${title} has no place`)
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), `${title} covers another`).toBe(false)
          taken.add(`${x} ${y}`)
        }
      }
    }
  })

  it('asks whatever Prometheus was chosen, by no variable that there is not', () => {
    const variables = (dashboard.templating?.list ?? []).map(({ name }) => name)
    expect(variables).toEqual(['datasource', 'job', 'group'])
    const sources = [...dashboardText.matchAll(/"uid": "([^"]*)"/g)].map(([, uid]) => uid)
    expect([...new Set(sources)].toSorted()).toEqual([`\${datasource}`, 'farmstead'])
    const values = { __rate_interval: '5m', job: '.*', group: '.*' }
    for (const { expression } of panelQueries(values)) expect(expression).not.toContain('$')
    expect(variableQueries().map(({ label }) => label)).toEqual(['job', 'group'])
  })

  it('asks in every panel that is no row, and has where time goes made of stages that are no parts of others', () => {
    const values = { __rate_interval: '5m', job: '.*', group: '.*' }
    const asking = new Set(panelQueries(values).map(({ panel }) => panel))
    const panels = (dashboard.panels ?? []).filter(({ type }) => type !== 'row')
    expect([...asking]).toEqual(panels.map(({ id, title }) => `${id} ${title}`))
    const [shares] = panelQueries(values).filter(({ panel }) => panel.endsWith('Where time goes'))
    const stages = [...(shares?.expression.matchAll(/stage=~"([^"]+)"/g) ?? [])]
    expect(stages.map(([, some]) => some)).toEqual(
      Array(2).fill('statWait|stat|readWait|read|write'),
    )
  })
})
