// SPDX-License-Identifier: MIT
// A network that only the process in it sees, made of a loopback whose packets can be slowed down and lost. A test
// file that needs one runs itself again in it.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const MARK = 'FARMSTEAD_OWN_NETWORK'
const enter = [
  'unshare',
  process.getuid() === 0 ? '-n' : '-rn',
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
]

const [tryIt, ...itsArguments] = enter
const refused = spawnSync(tryIt, [...itsArguments, 'true'], { encoding: 'utf8' })
/** Why there can be none; false: there can. */
export const noOwnNetwork =
  refused.status !== 0 && `can't have a network: ${refused.stderr || refused.error}`

export const isInOwnNetwork = process.env[MARK] === '1'

/** Of a runner of tests: who runs in it is no part of the one outside. */
const OF_RUNNERS = /^(NODE_TEST_CONTEXT|VITEST.*)$/

/** Runs the test file of this address in a network of its own; resolves with how it ended and what it said. */
export async function runInOwnNetwork(address, runner = ['--test']) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !OF_RUNNERS.test(name)),
  )
  const [command, ...args] = [...enter, process.execPath, ...runner, fileURLToPath(address)]
  const child = spawn(command, args, {
    env: { ...env, [MARK]: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const said = await text(child.stdout)
  return { code: await ended, said }
}

const tc = (words) => execFileSync('tc', words.split(' '))

/** What is sent goes no faster. */
export const slowDown = (rate) => tc(`qdisc add dev lo root tbf rate ${rate} burst 32kb limit 1mb`)

/** What is sent to `port` goes no faster, what comes from there as fast as ever: acknowledgements are late. */
export function delayTo(port, rate) {
  tc('qdisc add dev lo root handle 1: htb default 1')
  tc('class add dev lo parent 1: classid 1:1 htb rate 10gbit')
  tc(`class add dev lo parent 1: classid 1:2 htb rate ${rate} burst 200 cburst 200`)
  tc(`filter add dev lo parent 1: protocol ip u32 match ip dport ${port} 0xffff flowid 1:2`)
}

export const speedUp = () => tc('qdisc delete dev lo root')

const drop = (port, which) => {
  const rule = `-p tcp --sport ${port} -m statistic ${which} -j DROP`
  execFileSync('iptables', ['-A', 'INPUT', ...rule.split(' ')])
}

/** Of what comes from `port` every so many-th packet is lost. */
export const lose = (port, every) =>
  drop(port, `--mode nth --every ${every} --packet ${every >> 1}`)

/** Of what comes from `port` such a share (0…1) is lost, each packet by chance. */
export const loseAtRandom = (port, share) => drop(port, `--mode random --probability ${share}`)

export const loseNothing = () => execFileSync('iptables', ['-F', 'INPUT'])

export const setSegmentBytes = (bytes) =>
  execFileSync('ip', ['link', 'set', 'lo', 'mtu', String(bytes)])

/** Of sockets that are made from now on; as many at first as at most. */
export const setSendBuffer = (bytes) =>
  writeFileSync('/proc/sys/net/ipv4/tcp_wmem', `4096 ${bytes} ${bytes}`)

/** Likewise of those that receive: a client that takes nothing has room for so much. */
export const setReceiveBuffer = (bytes) =>
  writeFileSync('/proc/sys/net/ipv4/tcp_rmem', `4096 ${bytes} ${bytes}`)
