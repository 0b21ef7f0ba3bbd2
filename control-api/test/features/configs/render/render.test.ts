// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
import { parseTree } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { loadConfigSchema } from '../../../../src/features/configs/check/validation.ts'
import {
  authorsText,
  type Rendered,
  renderForNode,
} from '../../../../src/features/configs/render/render.ts'
import { NODES_OWN } from '../../../../src/features/configs/render/variables.ts'
import { digestOf } from '../../../../src/features/configs/text/digest.ts'
import {
  nodeAt,
  parseConfigText,
  pathOf,
  pointerOf,
  positionsIn,
} from '../../../../src/features/configs/text/text.ts'
import type { JsonObject, JsonValue } from '../../../../src/json/values.ts'
import type { RenderTarget } from '../../../../src/labels/grouping.ts'
import { seededRandom } from '../../../histogram-of.ts'
import { processorMs } from '../../../processor-ms.ts'

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

type Given = { group?: JsonObject; node?: JsonObject; labels?: Record<string, string> }
const target = ({ group = {}, node = {}, labels = {} }: Given): RenderTarget => ({
  group: { name: 'edge', mergePatch: group },
  node: { name: 'edge-1', labels, mergePatch: node },
})

function render(text: string, node: JsonObject, rest: Omit<Given, 'node'> = {}): Rendered {
  const rendered = renderForNode(text, target({ node, ...rest }))
  if (!rendered) throw new Error('the text does not parse')
  return rendered
}

/** An error about these words of the text. */
function errorAt(text: string, words: string) {
  const place = positionsIn(text)(text.indexOf(words), words.length)
  return { pointer: '', ...place, code: 'x', message: 'x', hint: '' }
}
const wordsAt = (text: string, place: { line: number; column: number; endColumn: number }) =>
  (text.split('\n')[place.line - 1] ?? '').slice(place.column - 1, place.endColumn - 1)

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

  it('means the same as RFC 7396 twice, for any document and any patches', () => {
    for (const { document, text, group, node, seed } of anyDocuments(400)) {
      const { value, text: rendered } = render(text, node, { group })
      if (value === undefined) throw new Error(`seed ${seed} became unreadable`)
      expect(digestOf(value), `seed ${seed}: ${text}`).toBe(
        digestOf(mergePatch(mergePatch(document, group), node)),
      )
      expect(rendered).toContain('// head')
      expect(rendered).toContain('// tail')
    }
  })

  it('leads every key and value that is the author’s back to itself, for any of them', () => {
    let led = 0
    for (const { text, group, node, seed } of anyDocuments(200)) {
      const rendered = render(text, node, { group })
      const authors = parseConfigText(text)
      if (!authors.ok) throw new Error(`seed ${seed} does not parse`)
      for (const token of tokensOf(rendered.text)) {
        const place = positionsIn(rendered.text)(token.offset, token.length)
        const back = rendered.toAuthor({ ...errorAt(rendered.text, ''), ...place })
        const path = pathOf(token)
        const own = nodeAt(authors.root, pointerOf(path))
        const isKey = token.parent?.type === 'property' && token.parent.children?.[0] === token
        const where = `seed ${seed}: ${pointerOf(path)} of ${rendered.text}`
        if (back.line === 0) {
          expect(
            [node, group].some((patch) => names(patch, path)),
            where,
          ).toBe(true)
          continue
        }
        const its = isKey ? own?.key : own?.value
        if (!its) throw new Error(where)
        expect(back, where).toMatchObject(positionsIn(text)(its.offset, its.length))
        if (!its.children) expect(its.value, where).toBe(token.value)
        led++
      }
    }
    expect(led).toBeGreaterThan(500)
  })

  it('points errors back into the author’s text', () => {
    const rendered = render(AUTHOR, { listen: [{ address: '::', port: 1 }] })
    const back = rendered.toAuthor(errorAt(rendered.text, '"workers"'))
    expect(back).toMatchObject({ line: 8, column: 3, endLine: 8, endColumn: 12 })
  })

  it('says of an error in a value an override set whose it is', () => {
    const rendered = render(AUTHOR, { workers: 99_999 }, { group: { admin: { port: 70_000 } } })
    const nodes = rendered.toAuthor(errorAt(rendered.text, '99999'))
    expect(nodes).toMatchObject({
      line: 0,
      column: 0,
      hint: 'this value comes from the node’s override',
    })
    const groups = rendered.toAuthor(errorAt(rendered.text, '70000'))
    expect(groups.hint).toBe('this value comes from the override of the group edge')
    // The author wrote that name, whoever wrote the value.
    expect(rendered.toAuthor(errorAt(rendered.text, '"workers"'))).toMatchObject({ line: 8 })
  })

  it('has no value when the override brings in what no config may hold', () => {
    const { text, value } = render(AUTHOR, { limits: { headerSeconds: 1.5 } })
    expect(text).toContain('1.5')
    expect(value).toBeUndefined()
  })

  it('is refused for a text that does not parse', () => {
    expect(renderForNode('{', target({}))).toBeNull()
    expect(parseConfigText('{').ok).toBe(false)
  })
})

describe('variables', () => {
  const labels = { zone: 'eu "1"', price: '5$', deep: '${group.name}' }

  it('are filled in, in the version and in both overrides; the layout stays', () => {
    const text = `{ // where\n  "root": "/srv/\${node.label.zone}/\${node.name}",\n  "keep": "\${host}$1$$"\n}`
    const rendered = render(
      text,
      { own: '${node.name}' },
      { labels, group: { of: ['${group.name}'] } },
    )
    expect(rendered.value).toEqual({
      root: '/srv/eu "1"/edge-1',
      keep: '${host}$1$$',
      own: 'edge-1',
      of: ['edge'],
    })
    expect(rendered.text.startsWith('{ // where\n  "root": "/srv/eu \\"1\\"/edge-1",\n')).toBe(true)
    expect(Object.fromEntries(rendered.variables)).toEqual({
      'node.label.zone': 'eu "1"',
      'node.name': 'edge-1',
      'group.name': 'edge',
    })
  })

  it.each([
    ['$${node.name}', '${node.name}'],
    ['$$${node.name}', '$${node.name}'],
    ['${node.label.price}', '5$'],
    ['${node.label.deep}', '${group.name}'],
    ['${query}-${1}-$0-${', '${query}-${1}-$0-${'],
  ])('%s becomes %s', (written, becomes) => {
    const { value } = render(JSON.stringify({ a: written }), {}, { labels })
    expect(value).toEqual({ a: becomes })
  })

  it('are no part of names', () => {
    const text = '{"${node.name}": 1}'
    expect(render(text, {})).toMatchObject({ text, errors: [] })
  })

  it.each([
    ['${node.label.rack}', 'the node has no label "rack"', 'give it one'],
    ['${node.nam}', 'there is no variable "node.nam"', 'did you mean ${node.name}?'],
    ['${zone}', 'there is no variable "zone"', '$${'],
    ['${node.label.constructor}', 'the node has no label "constructor"', 'give it one'],
    ['${node.name', '"${node.name" has no closing brace', ''],
  ])('%s is an error at its place', (reference, message, hint) => {
    const text = `{\n  "root": "/srv/${reference}"\n}`
    const { value, errors } = render(text, {})
    expect(value).toBeUndefined()
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ pointer: '/root', code: 'undefined_variable', message })
    expect(errors[0]?.hint).toContain(hint)
    expect(errors[0]?.line).toBe(2)
    expect(errors[0] && wordsAt(text, errors[0])).toBe(reference)
  })

  it('that an override brought in are errors of that override', () => {
    const { errors } = render('{}', { a: '${node.label.x}' }, { group: { b: '${node.label.y}' } })
    expect(errors.map(({ pointer, line, hint }) => [pointer, line, hint.split('; ')[1]])).toEqual([
      ['/b', 0, 'this value comes from the override of the group edge'],
      ['/a', 0, 'this value comes from the node’s override'],
    ])
  })

  it('lead an error in what they became back to the text that names them', () => {
    const text = '{\n  "root": "/srv/${node.label.zone}", "workers": 0\n}'
    const rendered = render(text, {}, { labels: { zone: 'a-very-long-zone' } })
    const root = rendered.toAuthor(errorAt(rendered.text, 'very'))
    expect(wordsAt(text, root)).toBe('"/srv/${node.label.zone}"')
    expect(wordsAt(text, rendered.toAuthor(errorAt(rendered.text, '0')))).toBe('0')
  })

  it('leave to the node what its own templates name, no more and no less', () => {
    const words = JSON.stringify(loadConfigSchema()).matchAll(/\$\{([a-z]+)\}/g)
    expect(new Set([...words].map(([, name]) => name))).toEqual(NODES_OWN)
  })
})

describe('a text from a node', () => {
  const base = `{\n  // the place\n  "root": "/srv/\${node.label.zone}",\n  "workers": 1, "keep": [1]\n}`
  const given = target({ labels: { zone: 'eu' }, group: { workers: 2 }, node: { keep: null } })

  it('is the author’s again once overrides and variables are taken out', () => {
    const text = renderForNode(base, given)?.text ?? ''
    const back = parseConfigText(authorsText(text, base, given))
    expect(back.ok && back.value).toEqual(JSON.parse(base.replace(/\/\/.*/, '')))
  })

  it('keeps what was changed by hand', () => {
    const changed = (renderForNode(base, given)?.text ?? '').replace('/srv/eu', '/srv/other')
    expect(authorsText(changed, base, given)).toContain('"root": "/srv/other"')
    expect(authorsText('{', base, given)).toBe('{')
  })
})

function* anyDocuments(count: number) {
  for (let seed = 1; seed <= count; seed++) {
    const random = seededRandom(seed)
    const document = { ...randomObject(random, 3) }
    const [group, node] = [
      { ...randomObject(random, 3, true) },
      { ...randomObject(random, 3, true) },
    ]
    const text = `// head\n${JSON.stringify(document, null, seed % 3)} // tail\n`
    yield { seed, document, group, node, text }
  }
}

/** Keys and values, each once. */
function tokensOf(text: string) {
  const root = parseTree(text)
  const all = (node: NonNullable<typeof root>): NonNullable<typeof root>[] => [
    ...(node.type === 'property' ? [] : [node]),
    ...(node.children ?? []).flatMap(all),
  ]
  return root ? all(root) : []
}

/** Is this path, or one around it, in the patch? */
function names(patch: JsonValue, path: readonly (string | number)[]): boolean {
  const [key, ...rest] = path
  if (key === undefined || typeof patch !== 'object' || patch === null) return true
  if (Array.isArray(patch)) return true
  const inner = Object.hasOwn(patch, key) ? patch[key] : undefined
  return inner !== undefined && names(inner, rest)
}

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

it('a megabyte with thousands of variables takes one pass, not one for each', () => {
  const sites = Array.from({ length: 8000 }, (_, i) => `{ "root": "/srv/\${node.name}/${i}" }`)
  const text = `{ "sites": [${sites.join(',\n')}], "x": "${'x'.repeat(600_000)}" }`
  let rendered = ''
  const tookMs = processorMs(() => {
    rendered = render(text, {}).text
  })
  // Made anew for each variable it took 6 s; now it takes a third of one.
  expect(tookMs).toBeLessThan(4_000)
  expect(rendered).toBe(text.replaceAll('${node.name}', 'edge-1'))
})

it('a text whose members stand in another order than the version’s gets its references back', () => {
  const base = '{ "a": "${node.name}", "b": "${group.name}" }'
  const changed = '{ "b": "edge", "c": 1, "a": "edge-1" }'
  expect(authorsText(changed, base, target({}))).toBe(
    '{ "b": "${group.name}", "c": 1, "a": "${node.name}" }',
  )
})
