// SPDX-License-Identifier: MIT
// Runs fuzz targets side by side for long, with whatever CPU time nobody else wants:
//   node test/fuzz/long.mjs [--seconds N] [--keep FOLDER] [target …]     3600 s, all targets
// Each starts from its corpus and from what FOLDER (build/fuzz/found) kept of runs before. Ends
// with 1 when one has found something; the input then lies beside the target's log.
//   node test/fuzz/long.mjs --merge [target …]     adds to the corpora what covers more
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { targets } from './targets.mjs'

const build = resolve(dirname(fileURLToPath(import.meta.url)), '../../build/fuzz')
// A target that is given hardly any CPU time has not hung.
const TIMEOUT_SECONDS = 120
const MERGED_MAX_BYTES = 2048 // longer inputs are slow to read and seldom say more

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3600' },
    keep: { type: 'string', default: join(build, 'found') },
    merge: { type: 'boolean', default: false },
  },
})
const wanted = targets.filter(({ name }) => !positionals.length || positionals.includes(name))
const unknown = positionals.find((name) => !targets.some((target) => target.name === name))
if (unknown || !(Number(values.seconds) > 0)) {
  console.error(unknown ? `no target ${unknown}` : '--seconds takes a number above 0')
  process.exit(2)
}

function folderOf({ name }) {
  const folder = join(resolve(values.keep), name)
  mkdirSync(join(folder, 'inputs'), { recursive: true })
  return folder
}

const isFinding = (file) => /^(crash|leak|oom|slow-unit|timeout)-/.test(file)

function run(target) {
  const folder = folderOf(target)
  const log = openSync(join(folder, 'log'), 'w')
  const startedAt = performance.now()
  const child = spawn(
    join(build, target.program),
    [
      `-max_total_time=${values.seconds}`,
      `-timeout=${TIMEOUT_SECONDS}`,
      `-dict=${target.dictionary}`,
      `-artifact_prefix=${folder}/`,
      '-print_final_stats=1',
      join(folder, 'inputs'),
      target.corpus,
    ],
    { stdio: ['ignore', log, log] },
  )
  setPriority(child.pid, constants.priority.PRIORITY_LOW)
  closeSync(log)
  return new Promise((done) => {
    child.on('error', (error) => done({ target, folder, code: error.message, seconds: 0 }))
    child.on('close', (code, signal) =>
      done({
        target,
        folder,
        code: signal ?? code,
        seconds: (performance.now() - startedAt) / 1e3,
      }),
    )
  })
}

function report({ target, folder, code, seconds }) {
  const text = readFileSync(join(folder, 'log'), 'utf8')
  const [, runs = '?'] = /stat::number_of_executed_units: (\d+)/.exec(text) ?? []
  const found = readdirSync(folder).filter(isFinding)
  const verdict = code === 0 && !found.length ? 'nothing found' : `${code}: ${found.join(' ')}`
  console.log(`${target.name}: ${runs} runs in ${Math.round(seconds)} s, ${verdict}`)
  return code === 0 && !found.length
}

function merge(target) {
  const inputs = join(folderOf(target), 'inputs')
  const before = readdirSync(target.corpus).length
  const { status, stderr } = spawnSync(
    join(build, target.program),
    ['-merge=1', `-max_len=${MERGED_MAX_BYTES}`, target.corpus, inputs],
    { encoding: 'utf8' },
  )
  const files = readdirSync(target.corpus)
  const bytes = files.reduce((sum, file) => sum + statSync(join(target.corpus, file)).size, 0)
  console.log(`${target.name}: ${before} inputs before, ${files.length} now, ${bytes} bytes`)
  if (status !== 0) console.error(stderr)
  return status === 0
}

const results = values.merge ? wanted.map(merge) : (await Promise.all(wanted.map(run))).map(report)
process.exit(results.every(Boolean) ? 0 : 1)
