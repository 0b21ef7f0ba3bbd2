// SPDX-License-Identifier: MIT
// What system/96_chaos.test.mjs is made of: a random sequence that can be had again, files whose every
// line says which file and which version it is of, and what must be true of an answer.
import assert from 'node:assert/strict'

/** Numbers from a seed (mulberry32), and choices made with them. */
export class Random {
  constructor(seed) {
    this.state = seed >>> 0
  }

  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let z = this.state
    z = Math.imul(z ^ (z >>> 15), z | 1)
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }

  below(n) {
    return Math.floor(this.next() * n)
  }

  chance(probability) {
    return this.next() < probability
  }

  pick(list) {
    return list[this.below(list.length)]
  }
}

// --- files ---------------------------------------------------------------------------------------

export const LINE = 64

const line = (name, version, number) => `${`${name}|${version}|${number}|`.padEnd(LINE - 1, '.')}\n`

export function content(name, version, lines, from = 0) {
  const parts = []
  for (let i = from; i < from + lines; i++) parts.push(line(name, version, i))
  return Buffer.from(parts.join(''), 'latin1')
}

/**
 * Whose bytes these are, from `offset` on: {name, version}, or null when there are too few to say. Of
 * a file that shrinks in place, pages that wait in the socket (sendfile) may have become zeros.
 */
export function identify(body, offset, shrinks = false) {
  const first = Math.ceil(offset / LINE)
  const at = first * LINE - offset
  if (body.length < at + LINE || (shrinks && body[at] === 0)) return null
  const [name, version, number] = body.toString('latin1', at, at + LINE).split('|')
  assert.equal(Number(number), first, `another line than the one asked for: ${name}|${version}`)
  const from = Math.floor(offset / LINE)
  const count = Math.ceil((offset + body.length) / LINE) - from
  const wanted = content(name, version, count, from).subarray(offset - from * LINE)
  if (Buffer.compare(body, wanted.subarray(0, body.length)) !== 0) {
    let i = 0
    while (i < body.length && (body[i] === wanted[i] || (shrinks && body[i] === 0))) i++
    if (i === body.length) return { name, version: Number(version) }
    const found = body.toString('latin1', i, i + 2 * LINE)
    assert.fail(`${name}|${version} has other bytes in it at ${offset + i}: ${found}`)
  }
  return { name, version: Number(version) }
}

// --- answers -------------------------------------------------------------------------------------

function parts(answer) {
  const [, boundary] = /^multipart\/byteranges; boundary=(\w+)$/.exec(
    answer.headers['content-type'],
  )
  const found = []
  let at = 0
  for (;;) {
    const delimiter = answer.body.indexOf(`--${boundary}`, at)
    assert.ok(delimiter >= 0, 'a delimiter')
    const end = answer.body.indexOf('\r\n\r\n', delimiter)
    const head = answer.body.toString('latin1', delimiter, end < 0 ? undefined : end)
    if (head.startsWith(`--${boundary}--`)) return found
    const [, from, to] = /content-range: bytes (\d+)-(\d+)\/\d+/i.exec(head)
    const length = to - from + 1
    found.push({ offset: Number(from), body: answer.body.subarray(end + 4, end + 4 + length) })
    at = end + 4 + length
  }
}

/** The pieces of a file that are in a 200 or 206. */
function pieces(answer) {
  if (answer.status === 200) return [{ offset: 0, body: answer.body }]
  if (!answer.headers['content-range']) return parts(answer)
  const [, from, to] = /^bytes (\d+)-(\d+)\/\d+$/.exec(answer.headers['content-range'])
  assert.equal(to - from + 1, answer.body.length)
  return [{ offset: Number(from), body: answer.body }]
}

/** What is remembered of all answers: the bytes a tag stands for, and how long versions are. */
export class Memory {
  constructor() {
    this.tags = new Map()
    this.lengths = new Map()
    this.names = new Set()
  }

  /** Before it is there for the node to see. Files that grow and shrink are not told of. */
  wrote(name, version, bytes) {
    this.lengths.set(`${name}|${version}`, bytes)
    this.names.add(name)
  }

  knows(name) {
    return this.names.has(name)
  }

  #sameTag(answer, id) {
    const tag = answer.headers.etag && `${id.name} ${answer.headers.etag}`
    const bytes = `${id.version} ${answer.body.length}`
    if (!tag) return
    assert.equal(this.tags.get(tag) ?? bytes, bytes, `one tag for two versions: ${tag}`)
    this.tags.set(tag, bytes)
  }

  /** Bytes of one version of one of `names`, and of the whole of it where all was sent. */
  checkFile(answer, names) {
    const ids = pieces(answer)
      .map(({ offset, body }) => identify(body, offset, !this.knows(names[0])))
      .filter(Boolean)
    for (const id of ids) {
      assert.ok(names.includes(id.name), `${id.name} instead of ${names}`)
      assert.equal(id.version, ids[0].version, `two versions of ${id.name}`)
    }
    if (answer.status !== 200 || ids.length === 0) return
    const length = this.lengths.get(`${ids[0].name}|${ids[0].version}`)
    if (length !== undefined) assert.equal(answer.body.length, length, ids[0].name)
    this.#sameTag(answer, ids[0])
  }
}

/** A page of ours or of the site, for this status. */
export function checkPage(answer) {
  if (/^<!doctype html>/i.test(answer.text)) {
    assert.match(answer.text, new RegExp(`<title>${answer.status} [^]*</html>\n$`))
    return
  }
  const { name } = identify(answer.body, 0)
  const page = `err/${answer.status}.html`
  assert.ok(name === page || name === 'err/4xx.html', `${name} for ${answer.status}`)
}
