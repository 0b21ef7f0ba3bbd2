// SPDX-License-Identifier: MIT
// The page of a game day: one file, with pictures, that needs no server.
import type { Done, Look, Promised } from './day.ts'
import { clock } from './day.ts'
import { byKind, summarise } from './figures.ts'
import { escaped, ms, picture } from './picture.ts'
import type { Second, Trouble } from './visitors.ts'

export type Story = {
  seed: number
  minutes: number
  realNodes: number
  simulatedNodes: number
  perSecond: number
  seconds: readonly Second[]
  troubles: readonly Trouble[]
  done: readonly Done[]
  looks: readonly Look[]
  promises: readonly Promised[]
  load: string | null
  again: string
}

const percent = (share: number): string => `${(share * 100).toFixed(share === 1 ? 0 : 3)} %`

export function pageOf(story: Story): string {
  const { seconds, looks, promises, troubles, done } = story
  const sum = summarise(seconds, looks)
  const broken = promises.filter((one) => one.broken !== null)
  const verdict =
    broken.length === 0
      ? 'All promises were kept'
      : `${broken.length} of ${promises.length} promises ${broken.length === 1 ? 'was' : 'were'} broken`
  const facts: [string, string][] = [
    ['answered right', percent(sum.availability)],
    [`questions, ${story.perSecond} a second`, String(sum.asked)],
    ['of another node', `${sum.retried} tries`],
    ['median', ms(sum.p50Ms)],
    ['99th percentile', ms(sum.p99Ms)],
    ['deeds', String(done.filter(({ lane }) => lane === 'deed').length)],
    ['attacks', String(done.filter(({ lane }) => lane !== 'deed').length)],
    ['operator’s 99th percentile', ms(sum.lookP99Ms)],
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Game day, seed ${story.seed}</title><style>${STYLE}</style></head><body><main>
<h1>${verdict}</h1>
<p>${story.minutes} minutes with ${story.realNodes} real nodes and ${story.simulatedNodes} simulated ones; seed ${story.seed}. The same again: <code>${escaped(story.again)}</code></p>
<dl>${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>
<h2>What must hold</h2>
<ul class="promises">${promises.map(promiseLine).join('')}</ul>
<h2>The day</h2>
<div class="wide">${picture(story)}</div>
<h2>What was done, and how long until all was well</h2>
${kinds(done)}
<h2>What visitors got that was not right</h2>
${troubles.length === 0 ? '<p>Nothing.</p>' : `<ul>${troubles.map(({ atSecond, sentence }) => `<li>${clock(atSecond)} ${escaped(sentence)}</li>`).join('')}</ul>`}
<h2>The load tool’s view</h2>
${story.load === null ? '<p>It was not asked.</p>' : `<pre>${escaped(story.load)}</pre>`}
</main></body></html>
`
}

const promiseLine = ({ what, broken }: Promised): string =>
  broken === null
    ? `<li><b class="kept">kept</b> ${escaped(what)}</li>`
    : `<li><b class="broken">broken</b> ${escaped(what)}: ${escaped(broken)}</li>`

function kinds(done: readonly Done[]): string {
  const rows = byKind(done).map(({ kind, lane, times, medianMs, slowestMs, ...more }) => {
    const [median, slowest] = lane === 'deed' ? [ms(medianMs), ms(slowestMs)] : ['', '']
    const cells = [kind, String(times), median, slowest]
    const told = cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')
    return `<tr>${told}<td class="broken">${lateness(more)}</td><td>${escaped(more.lastAbout)}</td></tr>`
  })
  const heads = ['', 'times', 'median', 'slowest', '', 'the last one']
  return `<div class="wide"><table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows.join('')}</table></div>`
}

function lateness({ late, unrecovered }: { late: number; unrecovered: number }): string {
  const told = [
    late > 0 && `${late} later than promised`,
    unrecovered > 0 && `${unrecovered} never`,
  ]
  return told.filter(Boolean).join(', ')
}

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b2430, #e6eaf0); --soft: light-dark(#5b6673, #9aa5b1); --paper: light-dark(#fff, #14181d); --line: light-dark(#dbe1e8, #2b323b); --good: #2f9e5b; --bad: #d1343f; --mark: #3b74d8; --did: #c27a12 }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 }
main { max-width: 1200px; margin: 0 auto; padding: 24px }
h1 { font-size: 28px; margin: 0 0 4px } h2 { font-size: 18px; margin: 28px 0 8px }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px; margin: 16px 0 }
dl div { border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px }
dt { color: var(--soft); font-size: 13px } dd { margin: 0; font-size: 20px; font-variant-numeric: tabular-nums }
.wide { overflow-x: auto } svg { width: 100%; min-width: 760px; fill: var(--ink) }
.title { font-size: 13px; fill: var(--soft) } .tick { font-size: 11px; fill: var(--soft) }
.good { fill: var(--good) } .bad { fill: var(--bad) } .line { fill: var(--mark) } .did { fill: var(--did) } .after { fill: var(--did); opacity: .35 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top }
td:last-child { overflow-wrap: anywhere } td:nth-child(-n+5) { white-space: nowrap } table { min-width: 760px } code { overflow-wrap: anywhere }
.promises { list-style: none; padding: 0 } .promises b { display: inline-block; width: 60px } b.kept { color: var(--good) } .broken { color: var(--bad) }
pre { overflow-x: auto; border: 1px solid var(--line); padding: 12px; border-radius: 6px }
`
