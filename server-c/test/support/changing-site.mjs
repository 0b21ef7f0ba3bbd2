// SPDX-License-Identifier: MIT
// A site whose files and folders change in every way, and the tests that each engine of the stat cache has to pass:
// each kind of change is seen within the time its documentation promises.
import assert from 'node:assert/strict'
import {
  closeSync,
  cpSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { SETTLED_MS, startNode, tempFolder, until, writeTree } from './node.mjs'
import { get } from './raw.mjs'

export const TTL_MS = 300
export const LONG_MS = 60_000
// The promise of docs/serving-files.md; the rest is what requests and a busy machine take.
const REPORTED_MS = 100
const SLACK_MS = 2000
const CLIENTS = 6 // on connections of their own, so that each loop is asked

/** What each engine promises of a change that it can notice, and of one that nobody reports to it.
 *  With "inotify", the ttl is long where a change is to be reported: it can't be seen otherwise. */
const engines = {
  ttl: { reported: [TTL_MS, TTL_MS], unreported: [TTL_MS, TTL_MS] },
  inotify: { reported: [LONG_MS, REPORTED_MS], unreported: [TTL_MS, TTL_MS] },
  off: { reported: [TTL_MS, 0], unreported: [TTL_MS, 0] },
}

const takesGzip = { lines: ['Accept-Encoding: gzip'] }
const askAll = (node, target) =>
  Promise.all(Array.from({ length: CLIENTS }, () => get(node.port, target, takesGzip)))

export async function showsWithin(node, target, probe, ms) {
  if (ms === 0) {
    for (const answer of await askAll(node, target))
      assert.ok(probe(answer), `${target}: not what the disk says: ${answer.status}`)
    return
  }
  const start = Date.now()
  await until(async () => (await askAll(node, target)).every(probe), `the change of ${target}`)
  const took = Date.now() - start
  assert.ok(took < ms + SLACK_MS, `${target} took ${took} ms`)
}

export const says = (text) => (answer) => answer.status === 200 && answer.text === text
const is = (status) => (answer) => answer.status === status

function writeAt(path, text) {
  const fd = openSync(path, 'r+')
  writeSync(fd, text, 0)
  closeSync(fd)
}

const FILES = {
  'a.txt': 'old',
  'b.txt': 'bbb',
  'dir/x.txt': 'x',
  'dir/deep/er/y.txt': 'y',
  'other/x.txt': 'another',
  'empty/readme.txt': 'r',
  'indexed/index.html': 'index',
  'coded/a.js': 'plain plain plain',
  'coded/b.js': 'plain plain plain',
  'coded/b.js.gz': 'packed',
  'big.bin': Buffer.alloc(200_000, 'a'),
}

/** [what happens, to which target, how, what is answered then] */
const reported = [
  ['a file is rewritten', '/a.txt', (p) => writeFileSync(p('a.txt'), 'longer'), says('longer')],
  ['a file is rewritten in place', '/a.txt', (p) => writeAt(p('a.txt'), 'new'), says('new')],
  [
    'a file is replaced by rename',
    '/a.txt',
    (p) => {
      writeFileSync(p('next'), 'replaced')
      renameSync(p('next'), p('a.txt'))
    },
    says('replaced'),
  ],
  [
    'a file becomes another, older one of its size',
    '/a.txt',
    (p) => {
      writeFileSync(p('next'), 'new')
      utimesSync(p('next'), 1e9, 1e9)
      renameSync(p('next'), p('a.txt'))
    },
    says('new'),
  ],
  ['a file is removed', '/a.txt', (p) => rmSync(p('a.txt')), is(404)],
  ['a file is made after a 404', '/late.txt', (p) => writeFileSync(p('late.txt'), 'l'), says('l')],
  [
    'a file is moved in after a 404',
    '/dir/late.txt',
    (p) => renameSync(p('b.txt'), p('dir/late.txt')),
    says('bbb'),
  ],
  [
    'a file is made in folders made after a 404',
    '/n/e/w/x.txt',
    (p) => writeTree(p(''), { 'n/e/w/x.txt': 'deep' }),
    says('deep'),
  ],
  [
    'a large file is rewritten',
    '/big.bin',
    (p) => writeFileSync(p('big.bin'), Buffer.alloc(300_000, 'b')),
    (answer) => answer.body.length === 300_000 && answer.body[0] === 98,
  ],
  ['a folder is renamed', '/dir/x.txt', (p) => renameSync(p('dir'), p('moved')), is(404)],
  [
    'a folder far above is renamed',
    '/dir/deep/er/y.txt',
    (p) => renameSync(p('dir/deep'), p('dir/deeper')),
    is(404),
  ],
  [
    'a folder takes the place of another',
    '/dir/x.txt',
    (p) => {
      renameSync(p('dir'), p('moved'))
      renameSync(p('other'), p('dir'))
    },
    says('another'),
  ],
  [
    'two folders change places',
    '/dir/x.txt',
    (p) => {
      renameSync(p('dir'), p('t'))
      renameSync(p('other'), p('dir'))
      renameSync(p('t'), p('other'))
    },
    says('another'),
  ],
  [
    'a file becomes a folder',
    '/a.txt',
    (p) => {
      rmSync(p('a.txt'))
      mkdirSync(p('a.txt'))
    },
    is(301),
  ],
  ['a folder goes', '/dir/deep/er/y.txt', (p) => rmSync(p('dir'), { recursive: true }), is(404)],
  [
    'a compressed sibling is added',
    '/coded/a.js',
    (p) => {
      const { atime, mtime } = statSync(p('coded/a.js'))
      writeFileSync(p('coded/a.js.gz'), 'packed')
      utimesSync(p('coded/a.js.gz'), atime, mtime) // one that is still being written does not count
    },
    (answer) => answer.headers.vary === 'Accept-Encoding',
  ],
  [
    'a compressed sibling is removed',
    '/coded/b.js',
    (p) => rmSync(p('coded/b.js.gz')),
    (answer) => answer.headers.vary === undefined,
  ],
  [
    'an index file is added',
    '/empty/',
    (p) => writeFileSync(p('empty/index.html'), 'late'),
    says('late'),
  ],
  ['an index file is removed', '/indexed/', (p) => rmSync(p('indexed/index.html')), is(404)],
  [
    'a file becomes a link',
    '/a.txt',
    (p) => {
      rmSync(p('a.txt'))
      symlinkSync('b.txt', p('a.txt'))
    },
    says('bbb'),
  ],
]

const unreported = [
  [
    'a link is turned',
    '/link.txt',
    (p) => {
      symlinkSync('b.txt', p('next'))
      renameSync(p('next'), p('link.txt'))
    },
    says('bbb'),
  ],
  [
    'what a link leads to is rewritten',
    '/link.txt',
    (p) => writeAt(p('a.txt'), 'new'),
    says('new'),
  ],
  [
    'a file in a linked folder is rewritten',
    '/linked/x.txt',
    (p) => writeFileSync(p('dir/x.txt'), 'changed'),
    says('changed'),
  ],
  [
    'a file is rewritten by its other name',
    '/twice.txt',
    (p) => writeFileSync(p('../second'), 'by the other'),
    says('by the other'),
  ],
  [
    'the root is a link that is turned',
    '/a.txt',
    (p) => {
      cpSync(p(''), p('../next'), { recursive: true })
      writeFileSync(p('../next/a.txt'), 'released')
      symlinkSync('next', p('../current.next'))
      renameSync(p('../current.next'), p('../current'))
    },
    says('released'),
  ],
  [
    'the root is renamed and another takes its place',
    '/dir/x.txt',
    (p) => {
      cpSync(p(''), p('../next'), { recursive: true })
      writeFileSync(p('../next/dir/x.txt'), 'released')
      renameSync(p('../www'), p('../before'))
      renameSync(p('../next'), p('../www'))
    },
    says('released'),
  ],
]

export async function startChanging(t, engine, ttlMillis, more = {}) {
  const folder = tempFolder(t)
  const path = (name) => join(folder, 'www', name)
  writeTree(path(''), FILES)
  symlinkSync('a.txt', path('link.txt'))
  symlinkSync('dir', path('linked'))
  writeFileSync(path('twice.txt'), 'two names')
  linkSync(path('twice.txt'), path('../second'))
  symlinkSync('www', join(folder, 'current'))
  const node = await startNode(t, {
    site: { root: join(folder, 'current'), precompressed: ['gzip'] },
    config: { statCache: { engine, ttlMillis, ...more } },
  })
  return { node, path }
}

/** Until nothing more is learnt: of a folder that is new to it, the node asks twice. */
export async function learn(node, targets) {
  for (let i = 0; i < 4; i++) for (const target of targets) await askAll(node, target)
}

// The kernel queues so many events; whoever comes later is told that there were more.
const QUEUED_EVENTS = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))

/** They wait for the most part, each with a node and folders of its own. */
const AT_A_TIME = 3

/** The tests that each engine has to pass. */
export function changesAreSeen(engine) {
  const promises = engines[engine]
  suite(`engine ${engine}`, { concurrency: AT_A_TIME }, () => {
    for (const [kind, changes] of Object.entries({ reported, unreported }))
      for (const [name, target, change, probe] of changes) {
        const [ttlMillis, ms] = promises[kind]
        test(`engine ${engine}: ${name}: seen ${ms ? `within ${ms} ms` : 'at once'}`, async (t) => {
          const { node, path } = await startChanging(t, engine, ttlMillis)
          await learn(node, [target])
          change(path)
          await showsWithin(node, target, probe, ms)
        })
      }
    test(`engine ${engine}: with more folders than watches, each change is seen`, async (t) => {
      const { node, path } = await startChanging(t, engine, promises.unreported[0], {
        maxWatches: 8,
      })
      const names = Array.from({ length: 20 }, (_, i) => `many/${i}/x.txt`)
      writeTree(path(''), Object.fromEntries(names.map((name) => [name, 'old'])))
      await sleep(SETTLED_MS)
      await learn(
        node,
        names.map((name) => `/${name}`),
      )
      if (engine === 'inotify') {
        await sleep(SETTLED_MS * 3) // the gauge is set four times a second
        const { folderWatches } = (await node.status()).gauges
        assert.ok(folderWatches > 0 && folderWatches <= 8, `${folderWatches} watches`)
      }
      for (const name of names) writeFileSync(path(name), 'changed')
      for (const name of names)
        await showsWithin(node, `/${name}`, says('changed'), promises.unreported[1])
    })

    test(`engine ${engine}: a change behind more than the kernel reports is seen`, async (t) => {
      const { node, path } = await startChanging(t, engine, promises.reported[0])
      await learn(node, ['/a.txt', '/dir/x.txt', '/n/one.txt'])
      node.child.kill('SIGSTOP')
      for (let i = 0; i * 3 < QUEUED_EVENTS + 1000; i++) {
        writeFileSync(path('noise'), `${i}`) // made, modified, closed; removed
        rmSync(path('noise'))
        // The tests beside this one have requests to send, for which their nodes do not wait for ever.
        if (i % 100 === 0) await nextTurn()
      }
      writeFileSync(path('a.txt'), 'at last')
      rmSync(path('dir'), { recursive: true })
      writeTree(path(''), { 'n/one.txt': 'made' })
      node.child.kill('SIGCONT')
      await showsWithin(node, '/a.txt', says('at last'), promises.reported[1])
      await showsWithin(node, '/dir/x.txt', is(404), promises.reported[1])
      await showsWithin(node, '/n/one.txt', says('made'), promises.reported[1])
      // And what comes next is reported as before.
      await sleep(SETTLED_MS)
      await learn(node, ['/a.txt'])
      writeFileSync(path('a.txt'), 'and on')
      await showsWithin(node, '/a.txt', says('and on'), promises.reported[1])
    })
  })
}
