// SPDX-License-Identifier: MIT
// npm run simulate:mutations: puts faults into a copy of the engine, one at a time. The simulator has to find
// each of them; one that it does not find is a promise that nobody watches. A word after -- chooses faults.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

type Fault = { name: string; file: string; find: string; put: string }

const RULES = 'src/features/rollouts/reducer/rules.ts'
const SETTLE = 'src/features/rollouts/reducer/settle.ts'
const TIME = 'src/features/rollouts/reducer/time.ts'
const VERDICTS = 'src/features/rollouts/reducer/verdicts.ts'
const FORWARD = 'src/features/rollouts/reducer/forward.ts'
const ENDINGS = 'src/features/rollouts/reducer/endings.ts'
const REDUCTION = 'src/features/rollouts/reducer/reduction.ts'
const TASKS = 'src/features/rollouts/reducer/tasks.ts'
const QUEUE = 'src/features/rollouts/reducer/queue.ts'
const CLONES = 'src/node-identity/clones.ts'
const REFUSALS = 'src/features/rollouts/reducer/refusals.ts'
const NODE = 'test/simulator/node.ts'
const WAITING = 'src/features/rollouts/reducer/waiting.ts'
const FAULTS: readonly Fault[] = [
  {
    name: 'no lease check: a second rollout takes nodes that another owns',
    file: QUEUE,
    find: 'if (blockedBy.length === 0) return',
    put: 'if (blockedBy.length >= 0) return',
  },
  {
    name: 'no limit of nodes that are offered the version at once',
    file: FORWARD,
    find: 'able.slice(0, room)',
    put: 'able',
  },
  {
    name: 'a confirmed node counts as proven before it was healthy',
    file: TASKS,
    find: "[...MOVING, 'unhealthy', 'apply_stuck']",
    put: "['offered', 'acked', 'applying', 'applied', 'unhealthy', 'apply_stuck']",
  },
  {
    name: 'no limit of nodes that go back at once',
    file: ENDINGS,
    find: 'task.isConnected && room-- <= 0',
    put: 'task.isConnected && room-- <= Number.NEGATIVE_INFINITY',
  },
  {
    name: 'evidence of an earlier wave lets a later one through',
    file: VERDICTS,
    find: "wave === progress.wave && progress.phase === 'soaking'",
    put: "progress.phase === 'soaking'",
  },
  {
    name: 'no evidence passes',
    file: FORWARD,
    find: "if (verdict === 'pass') {",
    put: "if (verdict === 'pass' || verdict === undefined) {",
  },
  {
    name: 'a wave is through before its time',
    file: FORWARD,
    find: 'if (progress.soakedMs < policy.soakMs)',
    put: 'if (progress.soakedMs * 2 < policy.soakMs)',
  },
  {
    name: 'what is frozen goes on',
    file: SETTLE,
    find: 'isTerminal(state) || progress.goesBack !== null\n',
    put: "(isTerminal(state) && state !== 'frozen') || progress.goesBack !== null\n",
  },
  {
    name: 'a way back begins a second one',
    file: VERDICTS,
    find: 'if (isTerminal(state) || progress.goesBack !== null) return\n  const isOfNow',
    put: 'if (isTerminal(state)) return\n  const isOfNow',
  },
  {
    name: 'a frozen rollout keeps its leases',
    file: ENDINGS,
    find: "settleTasks(reduction)\n  reduction.effects.push({ kind: 'release-leases' })",
    put: 'settleTasks(reduction)',
  },
  {
    name: 'an offer that was put off stays open',
    file: RULES,
    find: "if (isPutOff || event.kind === 'drifted') withdraw",
    put: "if (event.kind === 'drifted') withdraw",
  },
  {
    name: 'what a later rollout takes over is still offered by the earlier one',
    file: RULES,
    find: 'if (isUnanswered(task)) giveUp(reduction, task, why)',
    put: 'if (isUnanswered(task)) put(reduction, task, skip(task, why))',
  },
  {
    name: 'nodes that are done are left out of the way back',
    file: TASKS,
    find: "  (task.state !== 'nacked' || isConflict(task))\n",
    put: "  (task.state !== 'nacked' || isConflict(task)) &&\n  task.state !== 'done'\n",
  },
  {
    name: 'nodes are offered it before their wave',
    file: FORWARD,
    find: 'const may = whichOfWave(reduction.rollout.tasks, wave, isToBeOffered)',
    put: 'const may = which(reduction.rollout.tasks, isToBeOffered)',
  },
  {
    name: 'a change of a task leaves no row',
    file: REDUCTION,
    find: 'if (state !== from) reduction.transitions.push',
    put: "if (state !== from && state !== 'skipped') reduction.transitions.push",
  },
  {
    name: 'the farm’s budget is not looked at',
    file: FORWARD,
    find: 'Math.min(most(policy), farmRoom ?? Number.POSITIVE_INFINITY)',
    put: 'most(policy)',
  },
  {
    name: 'the way back does not look at the farm’s budget',
    file: ENDINGS,
    find: 'Math.max(1, farmRoom)',
    put: 'Number.POSITIVE_INFINITY',
  },
  {
    name: 'what may pass is asked again for ever',
    file: REFUSALS,
    find: 'PASSING.has(code) && refusals < MAX_REFUSALS',
    put: 'PASSING.has(code)',
  },
  {
    name: 'every refusal is asked again',
    file: REFUSALS,
    find: 'PASSING.has(code) &&',
    put: "code !== '' &&",
  },
  {
    name: 'what a person changed on the machine is overlooked',
    file: TASKS,
    find: 'isUnderIt && (isRefusal || !isKnown)',
    put: 'isUnderIt && isRefusal',
  },
  {
    name: 'after a start it goes on before nodes under way were heard',
    file: TIME,
    find: '  awaitHellos(reduction)\n',
    put: '',
  },
  {
    name: 'nodes are offered what another of their kind refused',
    file: FORWARD,
    find: '  if (leaveOut(reduction)) return true\n',
    put: '',
  },
  {
    name: 'it goes on while the disk is full',
    file: FORWARD,
    find: '  if (rollout.isStorageFull) return holdForStorage(reduction)\n',
    put: '',
  },
  {
    name: 'stragglers are offered it while the disk is full',
    file: FORWARD,
    find: '  if (reduction.rollout.isStorageFull) return\n',
    put: '',
  },
  {
    name: 'a rollout begins without its approvals',
    file: QUEUE,
    find: 'if (given < needed) {',
    put: 'if (given + 1 < needed) {',
  },
  {
    name: 'a rollout begins before its time',
    file: QUEUE,
    find: 'startAtMs !== null && nowMs < startAtMs',
    put: 'startAtMs !== null && nowMs < startAtMs - 60_000',
  },
  {
    name: 'a rollout begins while no change window is open',
    file: QUEUE,
    find: 'if (closed === null) return null',
    put: 'if (closed !== undefined) return null',
  },
  {
    name: 'who came later passes who waits for the same nodes',
    file: QUEUE,
    find: 'if (!claims.has(nodeId)) claims.set(nodeId, one.id)',
    put: 'claims.delete(nodeId)',
  },
  {
    name: 'the word of one of two processes counts, before anybody decided',
    file: CLONES,
    find: "if (clone && clone.keep === null) return 'refused'",
    put: '',
  },
  {
    name: 'of an offer that a node went back from, a late word is believed',
    file: 'src/assignments/offers.ts',
    find: "confirmed: 'ttstrsss'",
    put: "confirmed: 'ttstrtts'",
  },
  {
    name: 'a gate passes without enough requests',
    file: 'src/features/rollouts/gates/gates.ts',
    find: 'if (ours < minSamples) return',
    put: 'if (ours * 2 < minSamples) return',
  },
  {
    name: 'requests of the old version count for the new one',
    file: 'src/features/rollouts/gates/evidence.ts',
    find: 'const canary = yield* sideOf(inWave, { rollout, measured, isIn: hasVersion })',
    put: 'const canary = yield* sideOf(inWave, { rollout, measured, isIn: () => true })',
  },
  {
    name: 'a wave begins while no change window is open',
    file: FORWARD,
    find: 'if (closed !== null && hasNodes())',
    put: 'if (closed !== null && !hasNodes())',
  },
  {
    name: 'a rollout goes to cordoned nodes too',
    file: TASKS,
    find: 'task.cordon !== null && (',
    put: 'task.cordon === undefined && (',
  },
  {
    name: 'nobody takes the place of those who cannot prove the version',
    file: FORWARD,
    find: 'if (!one) return false',
    put: 'if (!one || ready) return false',
  },
  {
    name: 'the proof of an earlier wave counts for the next one too',
    file: FORWARD,
    find: 'isAnyOfWave(tasks, progress.wave, isProof)',
    put: 'isAny(tasks, isProof)',
  },
  {
    name: 'who was gone on without has proved it',
    file: TASKS,
    find: 'offers > 0 && !isExcused && isWell(state)',
    put: 'offers > 0 && isWell(state)',
  },
  {
    name: 'a wave soaks on without the node that was watched',
    file: FORWARD,
    find: 'if (!isToSoak(reduction.rollout)) {',
    put: 'if (!isToSoak(reduction.rollout) && reduction.rollout.tasks.length === 0) {',
  },
  {
    name: 'what a rollout that was stopped left on nodes counts as proved',
    file: WAITING,
    find: 'settledGeneration === null || !isProven',
    put: 'settledGeneration === null',
  },
  {
    name: 'what nobody proved is released',
    file: FORWARD,
    find: 'if (tasks.some(isProven)) {',
    put: 'if (tasks.length >= 0) {',
  },
  {
    name: 'who fetches is put off as silent',
    file: 'src/features/rollouts/reducer/way-back.ts',
    find: 'deadlineMs: FETCHING_MS,',
    put: 'deadlineMs: task.deadlineMs,',
  },
  {
    name: 'a node takes a release before it has all of it',
    file: NODE,
    find: 'if (contentsOf(given.digest).length > 0 && !disk.trees.has(given.digest)) {',
    put: 'if (contentsOf(given.digest).length > 9) {',
  },
  {
    name: 'a node keeps contents with wrong bytes',
    file: NODE,
    find: 'if (isRight) {',
    put: 'if (next) {',
  },
  {
    name: 'a node serves what it has, not what the release names',
    file: NODE,
    find: '[digest, contentsOf(digest)]',
    put: '[digest, [...disk.contents.keys()]]',
  },
  {
    name: 'a node removes what it runs',
    file: NODE,
    find: 'const own = [given, before, this.#fetching]',
    put: 'const own = [before, this.#fetching]',
  },
  {
    name: 'the first wave does not wait for files',
    file: 'src/features/rollouts/reducer/files-first.ts',
    find: 'now.waiting.nodes.length === 0',
    put: 'now.waiting.nodes.length >= 0',
  },
  {
    name: 'a node that is fetching counts as one that holds its files',
    file: 'src/fleet/ahead.ts',
    find: "if (one === undefined || one.state === 'fetching') state",
    put: 'if (one === undefined) state',
  },
  {
    name: 'after a start files are waited for by nobody',
    file: 'src/features/rollouts/reducer/files-first.ts',
    find: 'if (unheardMs > 0) return false',
    put: 'if (unheardMs < 0) return false',
  },
  {
    name: 'other bytes count as the file of the release',
    file: 'src/features/rollouts/gates/looks.ts',
    find: 'return sha256 === file.sha256 ? null',
    put: 'return sha256 ? null',
  },
  {
    name: 'files are through before each node has answered',
    file: 'src/features/rollouts/gates/looks.ts',
    find: "waiting > 0 || value === null ? 'no_data'",
    put: "value === null ? 'no_data'",
  },
  {
    name: 'a gate of one path reads all requests',
    file: 'src/features/rollouts/gates/gates.ts',
    find: "counter('notFound'), [counter('requests')]",
    put: "'responses404', ['requests']",
  },
]
const SEEDS = 3_000
const root = resolve(import.meta.dirname, '../..')

/** The seed that finds it; null: none did. */
function seedThatFinds({ file, find, put }: Fault): string | null {
  const copy = mkdtempSync(join(tmpdir(), 'farmstead-mutation-'))
  try {
    for (const part of ['src', 'test/simulator', 'test/histogram-of.ts', 'package.json']) {
      cpSync(join(root, part), join(copy, part), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const text = readFileSync(join(copy, file), 'utf8')
    if (text.split(find).length !== 2) throw new Error(`${file} has not exactly one: ${find}`)
    writeFileSync(join(copy, file), text.replace(find, put))
    const args = ['test/simulator/main.ts', '--seeds', `${SEEDS}`]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
    // What does not run finds nothing.
    if (status !== 0 && !stderr.startsWith('seed ')) throw new Error(stderr)
    return status === 0 ? null : (stderr.split('\n')[0] ?? '')
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

const word = process.argv[2] ?? ''
const chosen = FAULTS.filter(({ name }) => name.includes(word))
let missed = 0
for (const fault of chosen) {
  const found = seedThatFinds(fault)
  if (found === null) missed++
  process.stdout.write(
    `${found === null ? 'MISSED' : 'found '} ${fault.name}\n         ${found ?? ''}\n`,
  )
}
process.stdout.write(`${chosen.length - missed} of ${chosen.length} faults were found\n`)
if (missed > 0) process.exitCode = 1
