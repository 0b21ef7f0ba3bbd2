// SPDX-License-Identifier: MIT
// A run as a page: one file, with its pictures in it and nothing fetched.
import type { LoadReport } from './report.ts'
import {
  faultRows,
  howText,
  misbehavedRows,
  STAGE_TITLES,
  stageRows,
  statusRows,
  summaryRows,
} from './report.ts'
import { distribution, STYLE as PICTURE_STYLE, scatter, timeline } from './report-pictures.ts'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one)

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1a1f1c, #e6ebe8); --faint: light-dark(#5d6661, #9aa5a0);
  --ground: light-dark(#fbfcfb, #14181a); --line: light-dark(#d5dbd8, #333b3d); --mark: light-dark(#0b6b4f, #4fd1a5);
  --bad: light-dark(#b3261e, #ff8a80); }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 0 auto; padding: 1.5rem;
  max-width: 75rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem 1.2rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.figures td + td, .figures th + th { text-align: right; padding: .3rem 0 .3rem 1.2rem; }
.wide { overflow-x: auto; } .missed, .doubt { color: var(--bad); font-weight: 600; } p.how { color: var(--faint); }
`

const rowsTable = (title: string, rows: readonly (readonly [string, string])[]) =>
  rows.length === 0
    ? ''
    : `<h2>${escaped(title)}</h2><table>${rows
        .map(
          ([name, value]) =>
            `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
        )
        .join('')}</table>`

/** `kind`: figures stand at the right. */
export const wideTable = (
  title: string,
  titles: readonly string[],
  { rows, kind }: { rows: readonly (readonly string[])[]; kind: 'figures' | 'words' },
): string =>
  `<h2>${escaped(title)}</h2><div class="wide" tabindex="0" role="region" aria-label="${escaped(title)}"><table class="${kind}"><thead><tr>${titles
    .map((one) => `<th scope="col">${escaped(one)}</th>`)
    .join('')}</tr></thead><tbody>${rows
    .map(
      ([name = '', ...cells]) =>
        `<tr><th scope="row">${escaped(name)}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`,
    )
    .join('')}</tbody></table></div>`

function objectives({ objectives: list }: LoadReport): string {
  if (list.length === 0) return ''
  const items = list.map(
    ({ name, wanted, got, met }) =>
      `<li${met ? '' : ' class="missed"'}>${escaped(`${name} ${wanted}: ${got}, ${met ? 'met' : 'missed'}`)}</li>`,
  )
  return `<h2>Objectives</h2><ul>${items.join('')}</ul>`
}

export function reportPage(report: LoadReport): string {
  return wholePage(
    `Load of ${report.startedAt}`,
    `<p class="how">${escaped(howText(report.plan))}</p>
${doubtNotes(report.doubts)}
${objectives(report)}
${rowsTable('Summary', [...summaryRows(report), ...misbehavedRows(report)])}
${wideTable('Stages', STAGE_TITLES, { rows: stageRows(report), kind: 'figures' })}
${timeline(report.counted)}
${scatter(report.counted)}
${distribution(report.counted)}
${rowsTable('Statuses', statusRows(report))}
${rowsTable('What went wrong', faultRows(report))}`,
  )
}

export const doubtNotes = (doubts: readonly string[]): string =>
  doubts.map((doubt) => `<p class="doubt" role="note">${escaped(doubt)}</p>`).join('\n')

export const wholePage = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${STYLE}${PICTURE_STYLE}</style></head><body>
<h1>${escaped(title)}</h1>
${body}
</body></html>
`
