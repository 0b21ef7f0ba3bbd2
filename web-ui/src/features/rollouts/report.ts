// SPDX-License-Identifier: MIT
// A rollout as one HTML file, to print and to pass on: it asks for nothing else, runs nothing, and whatever people and nodes wrote
// is text in it. Pure.

import { language, languages } from '../../languages/language.ts'
import { t } from '../../languages/t.ts'
import type { AuditEntry, NodeTask, Rollout } from '../../lib/api-types.ts'
import { DASH, formatCount } from '../../lib/format.ts'
import { forPeople } from '../../lib/people-words.ts'
import { differenceText, intervalText, limitText, sideText } from './evidence-rules.ts'
import { reasonTold } from './reason-words.ts'
import { gateTitle, gateVerdict, rolloutVerdict, taskSentence, verdictOfTask } from './rules.ts'
import { entryTitle, timelineParts } from './timeline-rules.ts'

/** `history`: newest first; `isCut`: without what is older; null: it may not be read. */
export type Reported = {
  rollout: Rollout
  tasks: readonly NodeTask[]
  history: { entries: readonly AuditEntry[]; isCut: boolean } | null
  madeAt: Date
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** HTML that is safe to put into HTML. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
type Part = Html | string | number | readonly Html[]

/** What stands in `${}` is text, unless it was made by this. */
function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
  const texts = parts.map((part) => {
    if (part instanceof Html) return part.text
    if (typeof part === 'object') return part.map(({ text }) => text).join('')
    return String(part).replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? '')
  })
  return new Html(String.raw({ raw: literals }, ...texts))
}

const NOTHING = new Html('')

export function reportHtml({ rollout, tasks, history, madeAt }: Reported): string {
  const { config, version } = rollout
  const title = t('Rollout of {config} v{version}', { config, version })
  const page = html`<!doctype html>
<html lang="${languages[language].tag}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p><strong>${rolloutVerdict[rollout.state].label}.</strong> ${reasonTold(rollout).words}</p>
</header>
${facts(rollout)}
${waves(rollout)}
${evidence(rollout)}
${nodes(rollout, tasks)}
${historyOf(history, tasks)}
<footer>${t('Made by Farmstead at {time}. Times are in UTC.', { time: timeText(madeAt.toISOString()) })}</footer>
</body>
</html>
`
  return page.text
}

const timeText = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)}`

function facts(rollout: Rollout): Html {
  const { author, message, previousVersion, selector, approvals, emergency } = rollout
  const { createdAt, startedAt, endedAt, doneNodes, totalNodes, reason, id } = rollout
  const rows: [string, string][] = [
    [t('In full'), forPeople(reason)],
    [t('Ordered by'), `${author}, ${timeText(createdAt)}`],
    ...(message === '' ? [] : [[t('Message'), message] satisfies [string, string]]),
    ...(emergency === null ? [] : [[t('Emergency'), emergency] satisfies [string, string]]),
    ...approvals.map(({ by, at }): [string, string] => [
      t('Approved by'),
      `${by}, ${timeText(at)}`,
    ]),
    [t('Before it'), previousVersion === null ? t('no version') : `v${previousVersion}`],
    ...(selector === '' ? [] : [[t('Only to'), selector] satisfies [string, string]]),
    [
      t('Nodes'),
      t('{doneNodes} of {totalNodes} have the version', {
        doneNodes: formatCount(doneNodes),
        totalNodes: formatCount(totalNodes),
      }),
    ],
    [t('Began'), startedAt === null ? t('never') : timeText(startedAt)],
    [t('Ended'), endedAt === null ? t('not yet: this is how it stood') : timeText(endedAt)],
    [t('Id'), id],
  ]
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

type Cell = string | number
const row = (cells: readonly Cell[]) =>
  html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`

function table(title: string, head: readonly string[], rows: readonly Html[]): Html {
  return html`<h2>${title}</h2>
<table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`
}

const waves = ({ waves: all }: Rollout) =>
  table(
    t('Waves'),
    [t('Wave'), t('Nodes'), t('Have the version')],
    all.map(({ index, nodes: count, done }) =>
      row([index + 1, formatCount(count), formatCount(done)]),
    ),
  )

function evidence({ evidence: found }: Rollout): Html {
  if (found === null) return NOTHING
  return table(
    t('Evidence of wave {wave}, {timeText}', {
      wave: found.wave + 1,
      timeText: timeText(found.at),
    }),
    [
      t('Gate'),
      t('Verdict'),
      t('New version'),
      t('Other nodes'),
      t('Difference'),
      t('95 % interval'),
      t('Limit'),
      t('In words'),
    ],
    found.gates.map(({ verdict, canary, control, value, low, high, max, message, ...gate }) =>
      row([
        gateTitle(gate),
        gateVerdict[verdict].label,
        t('{sideText}, {samples, plural, one {# request} other {# requests}}', {
          sideText: sideText(gate.metric, canary.value),
          samples: canary.samples,
        }),
        t('{sideText}, {samples, plural, one {# request} other {# requests}}', {
          sideText: sideText(gate.metric, control.value),
          samples: control.samples,
        }),
        value === null ? DASH : differenceText(gate.metric, value),
        intervalText(gate.metric, low, high),
        limitText(gate.metric, max),
        message,
      ]),
    ),
  )
}

function nodes({ totalNodes }: Rollout, tasks: readonly NodeTask[]): Html {
  const missing = totalNodes - tasks.length
  const rows = tasks.map((task) =>
    row([
      task.nodeName,
      task.wave + 1,
      verdictOfTask(task).label,
      [task.code, task.message].filter(Boolean).join(' ') || taskSentence(task),
      timeText(task.updatedAt),
    ]),
  )
  const more =
    missing > 0
      ? html`<p>${t('{missing, plural, one {# further node is not listed} other {# further nodes are not listed}}.', { missing })}</p>`
      : NOTHING
  return html`${table(t('Nodes'), [t('Node'), t('Wave'), t('State'), t('What it says'), t('Since')], rows)}${more}`
}

function historyOf(history: Reported['history'], tasks: readonly NodeTask[]): Html {
  if (history === null) return NOTHING
  // Of nodes the audit has ids.
  const names = new Map(tasks.map(({ nodeId, nodeName }) => [nodeId, nodeName]))
  const rows = timelineParts(history.entries).map(({ entry, nodeSteps }) => {
    if (entry === null)
      return row([
        '',
        t('{nodeSteps, plural, one {# step of nodes} other {# steps of nodes}}', { nodeSteps }),
        '',
      ])
    const actor = entry.actor ?? ''
    return row([timeText(entry.at), entryTitle(entry.action), names.get(actor) ?? actor])
  })
  const more = history.isCut
    ? html`<p>${t('Older entries are not listed. The audit log has them.')}</p>`
    : NOTHING
  return html`${table(t('History, newest first'), [t('When'), t('What'), t('By')], rows)}${more}`
}

const STYLE = `
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; font: 14px/1.5 system-ui, sans-serif; color: #1f1e1b; background: #fff; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; }
h2 { margin-top: 2rem; font-size: 1.1rem; break-after: avoid; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { color: #5c5953; }
dd { margin: 0; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid #d5d2cb; text-align: left; vertical-align: top; }
tr { break-inside: avoid; }
footer { margin-top: 2rem; color: #5c5953; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } }
`
