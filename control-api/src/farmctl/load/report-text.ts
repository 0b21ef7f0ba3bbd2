// SPDX-License-Identifier: MIT
// A run for a terminal.
import { tableLines } from '../table.ts'
import {
  faultRows,
  howText,
  type LoadReport,
  misbehavedRows,
  STAGE_TITLES,
  stageRows,
  statusRows,
  summaryRows,
} from './report.ts'

const MARKS = { met: 'met', missed: 'MISSED' }

export function reportLines(report: LoadReport): string[] {
  const rows = [...summaryRows(report), ...misbehavedRows(report)]
  const width = Math.max(...rows.map(([title]) => title.length))
  return [
    howText(report.plan),
    '',
    ...rows.map(([title, value]) => `${title.padEnd(width)}  ${value}`),
    '',
    ...tableLines(STAGE_TITLES, stageRows(report)),
    ...section('Statuses', statusRows(report)),
    ...section('What went wrong', faultRows(report)),
    ...section(
      'Objectives',
      report.objectives.map(({ name, wanted, got, met }) => [
        `${name} ${wanted}`,
        `${got}: ${met ? MARKS.met : MARKS.missed}`,
      ]),
    ),
    ...(report.doubts.length > 0 ? ['', 'Not to be believed as it is', ...report.doubts] : []),
  ]
}

function section(title: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return []
  const width = Math.max(...rows.map(([name]) => name.length))
  return ['', title, ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)]
}
