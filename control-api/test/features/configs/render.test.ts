// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../../src/features/configs/digest.ts'
import { type Rendered, renderForNode } from '../../../src/features/configs/render.ts'
import {
  type JsonObject,
  type JsonValue,
  parseConfigText,
} from '../../../src/features/configs/text.ts'
import { seededRandom } from '../../histogram-of.ts'

const AUTHOR = `{
  // what the world sees
  "listen": [{ "address": "0.0.0.0", "port": 80 }],
  "limits": {
    "connections": 100, // per node
    "headerSeconds": 10
  },
  "workers": "auto"
}
`

function render(text: string, patch: JsonObject): Rendered {
  const rendered = renderForNode(text, patch)
  if (!rendered) throw new Error('the text does not parse')
  return rendered
}

/** RFC 7396, section 2, word for word. */
function mergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
  const result: JsonObject = Object.assign(Object.create(null), isObject ? target : {})
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = mergePatch(result[name] ?? null, value)
  }
  return result
}

describe('rendering for a node', () => {
  it('without an override keeps every byte', () => {
    expect(render(AUTHOR, {}).text).toBe(AUTHOR)
  })

  it('changes only what the override names; comments stay', () => {
    const { text } = render(AUTHOR, {
      listen: [{ address: '127.0.0.1', port: 8081 }],
      limits: { headerSeconds: null },
    })
    expect(text).toContain('// what the world sees')
    expect(text).toContain('"connections": 100')
    expect(text).toContain('8081')
    expect(text).not.toContain('headerSeconds')
    expect(text.endsWith('"workers": "auto"\n}\n')).toBe(true)
  })

  it('leaves a text alone whose values are already what the override asks for', () => {
    expect(
      render(AUTHOR, { workers: 'auto', limits: { connections: 100 }, absent: null }).text,
    ).toBe(AUTHOR)
  })

  it('keeps CRLF line ends', () => {
    const { text } = render(AUTHOR.replaceAll('\n', '\r\n'), { admin: { port: 8081 } })
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it('means the same as RFC 7396, for any document and any patch', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const random = seededRandom(seed)
      const document = { ...randomObject(random, 3) }
      const patch = { ...randomObject(random, 3, true) }
      const indent = seed % 3
      const text = `// head\n${JSON.stringify(document, null, indent)} // tail\n`
      const { value, text: rendered } = render(text, patch)
      if (value === undefined) throw new Error(`seed ${seed} became unreadable`)
      expect(digestOf(value), `seed ${seed}: ${text}${JSON.stringify(patch)}`).toBe(
        digestOf(mergePatch(document, patch)),
      )
      expect(rendered).toContain('// head')
      expect(rendered).toContain('// tail')
    }
  })

  it('points errors back into the author’s text', () => {
    const rendered = render(AUTHOR, {
      listen: [{ address: '::', port: 1 }],
      limits: { connections: null },
    })
    const at = rendered.text.indexOf('"workers"')
    const before = rendered.text.slice(0, at).split('\n')
    const error = {
      pointer: '/workers',
      line: before.length,
      column: (before.at(-1) ?? '').length + 1,
      endLine: before.length,
      endColumn: (before.at(-1) ?? '').length + 10,
      code: 'x',
      message: 'x',
      hint: '',
    }
    expect(rendered.toAuthor(error)).toMatchObject({
      line: 8,
      column: 3,
      endLine: 8,
      endColumn: 12,
    })
  })

  it('says of an error in a value the override set where it comes from', () => {
    const rendered = render(AUTHOR, { workers: 99_999 })
    const lines = rendered.text.split('\n')
    const line = lines.findIndex((text) => text.includes('99999')) + 1
    const column = (lines[line - 1]?.indexOf('99999') ?? 0) + 1
    const position = { line, column, endLine: line, endColumn: column + 5 }
    const error = { pointer: '/workers', ...position, code: 'x', message: 'x', hint: '' }
    expect(rendered.toAuthor(error)).toMatchObject({
      line: 0,
      column: 0,
      hint: 'this value comes from the node’s override',
    })
  })

  it('has no value when the override brings in what no config may hold', () => {
    const { text, value } = render(AUTHOR, { limits: { headerSeconds: 1.5 } })
    expect(text).toContain('1.5')
    expect(value).toBeUndefined()
  })

  it('is refused for a text that does not parse', () => {
    expect(renderForNode('{', {})).toBeNull()
    expect(parseConfigText('{').ok).toBe(false)
  })
})

function randomObject(random: () => number, depth: number, nulls = false): JsonObject {
  const entries = Array.from({ length: Math.floor(random() * 5) }, (): [string, JsonValue] => {
    const key = ['a', 'b', 'c', 'd e', 'f/g', '0', '__proto__'][Math.floor(random() * 7)] ?? 'a'
    return [key, randomValue(random, depth, nulls)]
  })
  return Object.fromEntries(entries)
}

function randomValue(random: () => number, depth: number, nulls: boolean): JsonValue {
  const pick = Math.floor(random() * 8)
  if (pick < 3 && depth > 0) return randomObject(random, depth - 1, nulls)
  if (pick === 3 && depth > 0) return [randomValue(random, depth - 1, false)]
  if (pick === 4) return nulls ? null : false
  return pick === 5 ? 'text // no comment' : Math.floor(random() * 100)
}
