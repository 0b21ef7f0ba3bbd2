// SPDX-License-Identifier: MIT
// Finds the queries in a source, Kysely's builders and sql`…`, and the tables they name. By TypeScript's own
// library, which TypeScript 7 has no more: it comes with what makes the API's types.
import { createRequire } from 'node:module'

export type Query = {
  line: number
  /** Its first words. */
  text: string
  tables: readonly { name: string; isWritten: boolean }[]
  /** It names a table by what is only known when it runs. */
  isVague: boolean
}
export type Found = {
  queries: readonly Query[]
  /** What it makes for itself: with('name', …). */
  ownTables: ReadonlySet<string>
}

type Node = {
  kind: number
  getText(): string
  getStart(): number
  text?: string
  name?: Node
  expression?: Node
  arguments?: readonly Node[]
  elements?: readonly Node[]
  tag?: Node
  template?: Node
}
type TypeScript = {
  SyntaxKind: Readonly<Record<string, number>>
  ScriptTarget: { Latest: number }
  createSourceFile(
    name: string,
    text: string,
    target: number,
    setParents: boolean,
  ): Node & { getLineAndCharacterOfPosition(position: number): { line: number } }
  forEachChild(node: Node, visit: (child: Node) => void): void
}

const requireForApiTypes = createRequire(
  new URL('../../../api-types/package.json', import.meta.url),
)
const ts: TypeScript = requireForApiTypes('typescript')
const Kind = ts.SyntaxKind

const READS = ['selectFrom', 'innerJoin', 'leftJoin', 'rightJoin', 'fullJoin', 'crossJoin']
const WRITES = ['insertInto', 'replaceInto', 'updateTable', 'deleteFrom', 'mergeInto']
const WITH = ['with', 'withRecursive']
const RAW = ['sql.raw', 'sql.table', 'CompiledQuery.raw']
/** "is distinct from" is no place where a table is named, and a function's answer is none of ours. */
const UNNAMED = /(?<!distinct )\b(?:into|update|from|join) \$\{/i
const NAMED = /(?<!distinct )\b(insert into|update|delete from|from|join) "?([a-z_]+)\b(?![(.])/gi

export function queriesIn(source: string): Found {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
  const queries: Query[] = []
  const ownTables = new Set<string>()
  const visit = (node: Node): void => {
    const query = node.tag ? fromTemplate(node) : fromCall(node)
    if (query) {
      const { at, ...rest } = query
      queries.push({ ...rest, line: file.getLineAndCharacterOfPosition(at).line + 1 })
    }
    if (WITH.includes(calledName(node) ?? '')) {
      for (const name of stringsOf(node)) ownTables.add(/^\w+/.exec(name)?.[0] ?? '')
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return { queries, ownTables }
}

type Placed = Omit<Query, 'line'> & { at: number }

function fromCall(node: Node): Placed | null {
  const called = calledName(node)
  if (called === null || node.expression === undefined) return null
  const at = (node.expression.name ?? node.expression).getStart()
  if (RAW.includes(node.expression.getText())) {
    return { at, text: node.expression.getText(), tables: [], isVague: true }
  }
  const isWritten = WRITES.includes(called)
  if (!isWritten && !READS.includes(called)) return null
  const tables = stringsOf(node).map((name) => ({ name: name.split(' ')[0] ?? '', isWritten }))
  const [first] = node.arguments ?? []
  return {
    at,
    text: `${called}(${first?.getText().slice(0, 40)})`,
    tables,
    isVague: isVague(first),
  }
}

/** Kysely's own functions, taken out of what has them, are called by their names alone. */
function calledName({ kind, expression }: Node): string | null {
  if (kind !== Kind.CallExpression || expression === undefined) return null
  return expression.name?.text ?? expression.text ?? null
}

/** The first of what it is called with: a name or several. */
function stringsOf({ arguments: [first] = [] }: Node): string[] {
  const named = first?.elements ?? (first ? [first] : [])
  return named.flatMap(({ kind, text }) => (isText(kind) && text !== undefined ? [text] : []))
}

const isText = (kind: number) =>
  kind === Kind.StringLiteral || kind === Kind.NoSubstitutionTemplateLiteral

/** A query within a query is found by itself. */
function isVague(first: Node | undefined): boolean {
  if (first?.elements) return first.elements.some(isVague)
  const { ArrowFunction, CallExpression } = Kind
  return !(first && (isText(first.kind) || [ArrowFunction, CallExpression].includes(first.kind)))
}

function fromTemplate(node: Node): Placed | null {
  if (node.tag?.getText() !== 'sql') return null
  const text = (node.template?.getText() ?? '').replaceAll(/\s+/g, ' ')
  const tables = [...text.matchAll(NAMED)].map(([, verb = '', name = '']) => ({
    name: name.toLowerCase(),
    isWritten: /into|update|delete/i.test(verb),
  }))
  const shown = text.replaceAll(/\$\{[^}]*\}/g, '…').slice(0, 40)
  return { at: node.getStart(), text: `sql${shown}`, tables, isVague: UNNAMED.test(text) }
}
