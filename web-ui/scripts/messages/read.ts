// SPDX-License-Identifier: MIT
// Reads the console's sources for its messages: what `t` and `<T text>` are given, and what should have been.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type TypeScript from '../../../api-types/node_modules/typescript/lib/typescript.d.ts'

// TypeScript 7 has no library of this kind; the one that makes the API's types has (see scripts/rooms/typescript-5.mjs).
const ts: typeof TypeScript = createRequire(
  join(import.meta.dirname, '../../../api-types/package.json'),
)('typescript')

export type Found = {
  /** Message → where it is first used. */
  messages: Map<string, string>
  /** Those that a page may need before any part of the console is loaded when it is needed. */
  atStart: Set<string>
  /** "file:line: what is wrong with it" */
  faults: string[]
}

/** Attributes that people read or hear. */
const TOLD =
  /^(?:alt|title|label|placeholder|description|error|what|hint|note|legend|detail|aria-label|aria-description|aria-roledescription|aria-valuetext)$/
/** What stands in these is typed and read as it is, in every language. */
const AS_IT_IS = /^(?:code|kbd|pre|samp)$/
/** Letters that are no words of a language: names, units, and examples of what to type. */
const NO_WORDS =
  /^(?:Farmstead|Prometheus|OpenID Connect|HTTP|HTTPS|TLS|ACME|DNS|CPU|JSON|PEM|URL|UTC|p50|p95|p99|ms|s|v)$/
const ADDRESS = /^(?:https?:\/)?\/\S*$/
const hasWords = (text: string) =>
  /\p{L}{2}/u.test(text) && !NO_WORDS.test(text.trim()) && !ADDRESS.test(text)

type Source = { path: string; name: string; tree: TypeScript.SourceFile }

function filesOf(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return entry.name === 'test' ? [] : filesOf(path)
    return /(?<!\.test|\.d|\.gen)\.tsx?$/.test(entry.name) ? [path] : []
  })
}

/** `dir`: the console's `src`. */
export function readMessages(dir: string): Found {
  const sources = filesOf(dir).map((path): Source => {
    const text = readFileSync(path, 'utf8')
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    return { path, name: relative(dir, path).replaceAll('\\', '/'), tree }
  })
  const start = startOf(sources, join(dir, 'main.tsx'))
  const found: Found = { messages: new Map(), atStart: new Set(), faults: [] }
  for (const source of sources) readSource(source, found, start.has(source.path))
  return found
}

/** What is loaded with the first page: everything that `entry` imports, but not what is asked for by `import()`. */
function startOf(sources: readonly Source[], entry: string): Set<string> {
  const trees = new Map(sources.map(({ path, tree }) => [path, tree]))
  const reached = new Set<string>()
  const pending = [entry]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const tree = trees.get(path)
    if (tree === undefined || reached.has(path)) continue
    reached.add(path)
    for (const statement of tree.statements) {
      if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue
      const from = statement.moduleSpecifier
      if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('.')) continue
      pending.push(join(dirname(path), from.text))
    }
  }
  return reached
}

function readSource(
  { name, tree }: Source,
  { messages, atStart, faults }: Found,
  isStart: boolean,
): void {
  const whereIs = (node: TypeScript.Node) =>
    `${name}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`
  const take = (node: TypeScript.Node, given: TypeScript.Node | undefined) => {
    if (given === undefined || !ts.isStringLiteralLike(given)) {
      if (!name.startsWith('languages/')) {
        faults.push(`${whereIs(node)}: a message must be a literal, so that it can be found`)
      }
      return
    }
    if (!messages.has(given.text)) messages.set(given.text, whereIs(node))
    if (isStart) atStart.add(given.text)
  }
  const visit = (node: TypeScript.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText(tree) === 't') {
      take(node, node.arguments[0])
    }
    if (ts.isJsxSelfClosingElement(node) && node.tagName.getText(tree) === 'T') {
      const text = node.attributes.properties.find(
        (one): one is TypeScript.JsxAttribute =>
          ts.isJsxAttribute(one) && one.name.getText(tree) === 'text',
      )
      take(node, literalIn(text?.initializer))
    }
    const text = unwrapped(node, tree)
    if (text !== null) {
      faults.push(`${whereIs(node)}: “${text}” is not translated; give it to t or T`)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
}

const literalIn = (given: TypeScript.Node | undefined): TypeScript.Node | undefined =>
  given !== undefined && ts.isJsxExpression(given) ? given.expression : given

/** Words that people would read in English whatever their language is. */
function unwrapped(node: TypeScript.Node, tree: TypeScript.SourceFile): string | null {
  if (ts.isJsxText(node)) {
    const { parent } = node
    const tag = ts.isJsxElement(parent) ? parent.openingElement.tagName.getText(tree) : ''
    const text = node.text.trim()
    return !AS_IT_IS.test(tag) && hasWords(text) ? text : null
  }
  if (!ts.isJsxAttribute(node) || !TOLD.test(node.name.getText(tree))) return null
  const given = literalIn(node.initializer)
  return given === undefined ? null : wordsIn(given)
}

/** Of what an attribute may become by a choice, too. */
function wordsIn(given: TypeScript.Node): string | null {
  if (ts.isParenthesizedExpression(given)) return wordsIn(given.expression)
  if (ts.isConditionalExpression(given)) return wordsIn(given.whenTrue) ?? wordsIn(given.whenFalse)
  if (ts.isStringLiteralLike(given)) return hasWords(given.text) ? given.text : null
  if (!ts.isTemplateExpression(given)) return null
  const text = [given.head, ...given.templateSpans.map(({ literal }) => literal)]
    .map((part) => part.text)
    .join('…')
  return hasWords(text) ? text : null
}
