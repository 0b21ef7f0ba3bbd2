// SPDX-License-Identifier: MIT
// Builds a preset and runs every test with it:
//   node test/run.mjs [--preset asan|tsan|release]     unit and system tests; asan if not said
//   node test/run.mjs --preset tsan FILE…              only these system tests
//   node test/run.mjs --preset fuzz [--seconds N]      each fuzz target: its corpus, then N seconds more
//   node test/run.mjs --preset PRESET --build          builds all that these need, and no more
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { withFileTimes } from '../../scripts/testing/with-file-times.mjs'
import { targets } from './fuzz/targets.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const folder = resolve(here, '..')
const presets = ['asan', 'tsan', 'release', 'fuzz']

const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    preset: { type: 'string', default: 'asan' },
    seconds: { type: 'string', default: '5' },
    build: { type: 'boolean', default: false },
  },
})
const { preset } = values
const seconds = Number(values.seconds)
if (!presets.includes(preset) || !Number.isInteger(seconds) || seconds < 0) {
  console.error(`usage: node test/run.mjs [--preset ${presets.join('|')}] [--seconds N] [--build]`)
  process.exit(2)
}
const build = join(folder, 'build', preset)
const jobs = String(Math.min(availableParallelism(), 8))

/**
 * What several threads do at one datum, for TSan: of others ASan has all, and there is no race in them for TSan to find
 * (docs/decisions/0166). Under each heading is what its files have in common with no other.
 */
const betweenThreads = [
  // loops that share files, their bodies, lists, copies and tags with lanes and with each other
  '22_http2',
  '30_static',
  '34_sign_in', // passwords, hashed by a lane
  '39_compression',
  '39_compression_changes',
  '39_kept_lists',
  '39_long_listings',
  '39_precompress', // threads of its own
  '39_request_limits', // one bucket for all loops
  '40_cache',
  '40_cache_inotify', // the thread that the kernel tells of changes
  '40_inotify',
  '41_changing_files',
  '43_content_lists',
  '43_content_tags',
  '97_gone_clients', // jobs that are given up while a lane has them
  // keys: a lane that signs, tickets of all loops
  '52_tls_certificates',
  '54_tls_signing',
  '54_tls_signing_ends',
  // a config that takes the place of another while loops serve by it; files that it names
  '50_reload',
  '51_named_files',
  '51_redirect_file',
  '80_traffic', // rates
  '81_loops_change',
  '84_live_lanes',
  // the threads of the agent, and what they take from loops
  '60_admin',
  '61_agent_apply',
  '62_agent_outage',
  '63_agent_check',
  '63_agent_logs',
  '63_agent_probes',
  '64_agent_certificates',
  '64_agent_challenges',
  '64_agent_neighbours',
  '64_agent_neighbours_attacks', // threads that come and go, and one that looks after the loops
  '64_agent_releases',
  '64_agent_releases_fallback', // counts of all loops that the agent reads; lists that change under them
  '65_requests',
  // threads that write logs
  '70_logs',
  '71_log_targets',
  '95_full_disk',
  // lanes that hang, and threads that are left behind
  '83_http2_disk',
  '83_hung_disk',
  '83_hung_stop',
  '85_hung_logs',
  '85_hung_reload',
  '86_hung_check',
  '94_disk_errors',
  // all of it at once
  '90_abuse',
  '96_chaos',
]

/**
 * Where threads are left at the end, TSan lets the process sleep for a second to see what they do. Ours is one, of
 * which nothing is to be seen (process/end_guard.c sleeps, too): of hundreds of nodes that was half of all the time.
 */
const TSAN_OPTIONS = [process.env.TSAN_OPTIONS, 'atexit_sleep_ms=20'].filter(Boolean).join(':')

/** Ends this process with the command's exit code when it fails. */
function run(title, command, args, env = {}) {
  console.log(`\n== server-c (${preset}): ${title}`)
  const { status, signal, error } = spawnSync(command, args, {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, TSAN_OPTIONS, ...env },
  })
  if (error) console.error(`${command}: ${error.message}`)
  if (status !== 0) {
    console.error(`server-c (${preset}): ${title} failed (${signal ?? status})`)
    process.exit(status || 1)
  }
}

/** Each takes a core for its seconds: as many at once as there are. What one says comes whole, when it ends. */
async function fuzz() {
  const left = [...targets]
  const fuzzer = async () => {
    for (let target = left.shift(); target; target = left.shift()) await fuzzOne(target)
  }
  await Promise.all(Array.from({ length: Number(jobs) }, fuzzer))
}

async function fuzzOne({ program, dictionary, corpus }) {
  // What is found goes to a folder of its own: the corpus is changed by hand only.
  const found = mkdtempSync(join(tmpdir(), `${program}-`))
  const child = spawn(
    join(build, program),
    [
      `-max_total_time=${Math.max(seconds, 1)}`,
      `-dict=${dictionary}`,
      `-artifact_prefix=${build}/`,
      '-print_final_stats=0',
      '-verbosity=0',
      found,
      corpus,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  const [status, signal] = await once(child, 'close')
  rmSync(found, { recursive: true })
  console.log(`\n== server-c (${preset}): ${program}\n${said}`)
  if (status !== 0) {
    console.error(`server-c (${preset}): ${program} failed (${signal ?? status})`)
    process.exit(1)
  }
}

const allSystemTests = () =>
  readdirSync(join(here, 'system'))
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => file.slice(0, -'.test.mjs'.length))
    .sort()

/** @param {string[]} files from server-c */
function runSystemTests(files) {
  run(
    'system tests',
    process.execPath,
    // Many of a file's tests run beside each other, and wait for most of their time: with more files at
    // once than these, tests of time wait for a processor.
    ['--test', '--test-concurrency=5', ...withFileTimes, ...files],
    {
      FARMSTEAD_NODE: join(build, 'farmstead-node'),
    },
  )
}

/** @param {string[]} more */
const buildAll = (title, ...more) =>
  run(title, 'cmake', ['--build', '--preset', preset, '-j', jobs, ...more])

run('order of folders', process.execPath, [join(here, 'check-includes.mjs')])
run('a test for each module', process.execPath, [join(here, 'check-tested.mjs')])
run('configure', 'cmake', ['--preset', preset])
buildAll('build')
const hasUnitTests = preset !== 'fuzz' && only.length === 0
if (hasUnitTests) buildAll('build the unit tests', '--target', 'unit_tests')
if (values.build) process.exit()
if (preset === 'fuzz') {
  await fuzz()
} else if (only.length > 0) {
  runSystemTests(only)
} else {
  run('unit tests', 'ctest', ['--test-dir', build, '--output-on-failure', '-j', jobs])
  const system = (preset === 'tsan' ? betweenThreads : allSystemTests()).map(
    (name) => `${name}.test.mjs`,
  )
  runSystemTests(system.map((file) => join('test/system', file)))
}
console.log(`\nserver-c (${preset}): all passed`)
