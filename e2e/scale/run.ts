// SPDX-License-Identifier: MIT
// `npm run bench -- console`: the console in Chromium over a farm of 10,000 nodes: of each page how long until it can
// be used, how large it is, what it fetched, and how old what it shows ever gets with an event every 100 ms.
//   npm run bench -- console [--nodes 10000] [--seconds 20] [--only farm,audit]
// It prints figures and fails on none of them.
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import config from '../playwright.config.ts'
import { startScaleFarm } from './farm.ts'
import { screensOf } from './screens.ts'
import { type Seen, watch } from './watch.ts'

const HEAD =
  '| page | usable ms | elements | requests | API KB | heap MB | shown old ms | answer old ms | requests live | aborted | busy % | longest task ms |'

const whole = (value: number | null) => (value === null ? '–' : value.toFixed(0))
function line(seen: Seen): string {
  const cells = [
    ...[seen.name, whole(seen.usableMs), seen.elements, seen.requests],
    ...[whole(seen.apiKilobytes), seen.heapMegabytes.toFixed(1)],
    ...[whole(seen.oldestShownMs), whole(seen.oldestAnswerMs), seen.liveRequests, seen.aborted],
    ...[whole(seen.busyShare * 100), whole(seen.longestTaskMs)],
  ]
  return `| ${cells.join(' | ')} |`
}

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
})
const say = (text: string) => process.stdout.write(`${text}\n`)
const size = {
  ...{ nodes: Number(values.nodes), versions: 1000, auditRows: 100_000 },
  ...{ groups: 99, certificates: 300, rollouts: 300 },
}
const farm = await startScaleFarm(size, say)
const browser = await chromium.launch(config.use?.launchOptions ?? {})
try {
  say(`${HEAD}\n|${'---|'.repeat(HEAD.split('|').length - 2)}`)
  const only = values.only.split(',').filter(Boolean)
  for (const screen of screensOf(farm, size)) {
    if (only.length > 0 && !only.includes(screen.name)) continue
    try {
      say(line(await watch(browser, farm, screen, Number(values.seconds))))
    } catch (error) {
      say(`| ${screen.name} | ${String(error).split('\n')[0]} |`)
    }
  }
} finally {
  await browser.close()
  await farm.end()
}
