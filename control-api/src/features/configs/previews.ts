// SPDX-License-Identifier: MIT
// Versions as nodes get them or would get them, for one look at many nodes: what they share is read,
// rendered and checked once.
import { parseTree } from 'jsonc-parser'
import type { Kysely } from 'kysely'
import { sha256 } from '../../base/ids.ts'
import type { Database } from '../../db/database.ts'
import type {
  AuthorPlace,
  OwnedPreview,
  Preview,
  Previews,
  VersionRef,
} from '../../fleet/config-ports.ts'
import type { RenderTarget } from '../../labels/grouping.ts'
import type { AskOwners } from '../../node-check/owners.ts'
import type { Validate, Validation } from './check/validation.ts'
import { diffValues } from './diff/diff.ts'
import { COMES_FROM } from './render/origins.ts'
import type { Rendered } from './render/render.ts'
import { findVersion, lastReleaseFor } from './store.ts'
import { digestOf } from './text/digest.ts'
import type { SchemaNode } from './text/schema-walk.ts'
import { nodeAt, parseConfigText, positionsIn } from './text/text.ts'
import { createRenderer } from './versions.ts'

type Deps = {
  db: Kysely<Database>
  validate: Validate
  schema: SchemaNode
  askOwners: AskOwners
}
type Render = (target: RenderTarget) => Rendered

export function openPreviews({ db, validate, schema, askOwners }: Deps): Previews {
  const releases = new Map<string | null, Promise<VersionRef | null>>()
  const renderers = new Map<string, Promise<Render>>()
  const ofTexts = new Map<string, Render>()
  const values = new WeakMap<Preview, Rendered>()
  /** Nodes that are alike share one. */
  const previews = new WeakMap<Rendered, Preview>()
  const checks = new Map<string, Validation>()

  const rendererOf = ({ config, number }: VersionRef) => {
    const key = `${config} ${number}`
    const known = renderers.get(key) ?? open(db, { config, number })
    renderers.set(key, known)
    return known
  }

  const previewOf = (rendered: Rendered): Preview => {
    const known = previews.get(rendered)
    if (known) return known
    const { text, value, errors, variables } = rendered
    const preview = {
      text,
      digest: value === undefined ? null : digestOf(value),
      errors,
      variables,
    }
    previews.set(rendered, preview)
    values.set(preview, rendered)
    return preview
  }

  return {
    released(to) {
      const { config } = to.group
      const known =
        releases.get(config) ??
        lastReleaseFor(db, to).then((row) =>
          row ? { config: row.config, number: row.version } : null,
        )
      releases.set(config, known)
      return known
    },
    async textOf({ config, number }) {
      return (await findVersion(db, config, number))?.text ?? null
    },
    async render(version, target) {
      return previewOf((await rendererOf(version))(target))
    },
    syntaxErrors(text) {
      const parsed = parseConfigText(text)
      return parsed.ok ? [] : parsed.errors
    },
    renderText(text, target) {
      const render = ofTexts.get(text) ?? createRenderer(text)
      ofTexts.set(text, render)
      return previewOf(render(target))
    },
    pointers(before, after) {
      const [from, to] = [before, after].map((one) => one && values.get(one)?.value)
      if (from === undefined || from === null || to === undefined || to === null) return ['']
      return diffValues(from, to, schema).changes.map(({ pointer }) => pointer)
    },
    placesIn: (preview) => placesIn(values.get(preview)),
    async check(preview, most) {
      const { text, errors } = preview
      if (errors.length > 0) return errors
      const known = checks.get(text)
      if (!known && checks.size >= most) return null
      const validation = known ?? (await validate(text))
      checks.set(text, validation)
      if (!validation.ok && validation.unavailable !== null) return null
      return validation.errors.map((error) => values.get(preview)?.toAuthor(error) ?? error)
    },
    async askOwners(all) {
      const asked = new Map(all.map((one) => [one, ofNode(one)]))
      const answers = await askOwners([...asked.values()])
      return (one) => {
        const errors = answers.of(asked.get(one) ?? ofNode(one))
        return errors?.map((error) => values.get(one.preview)?.toAuthor(error) ?? error) ?? null
      }
    },
  }
}

function placesIn(rendered: Rendered | undefined): (pointer: string) => AuthorPlace | null {
  const root = rendered && parseTree(rendered.text)
  if (!root) return () => null
  const at = positionsIn(rendered.text)
  return (pointer) => {
    const token = nodeAt(root, pointer)?.value
    if (!token) return null
    const said = { pointer, code: '', message: '', hint: '' }
    const { line, column, hint } = rendered.toAuthor({ ...said, ...at(token.offset, token.length) })
    return { line, column, from: hint === '' ? null : hint.replace(COMES_FROM, '') }
  }
}

const ofNode = ({ preview: { text }, rulesId }: OwnedPreview) => ({
  text,
  textId: sha256(text),
  rulesId,
})

async function open(db: Kysely<Database>, { config, number }: VersionRef): Promise<Render> {
  const row = await findVersion(db, config, number)
  if (!row) throw new Error(`${config} version ${number} is gone: control.db is damaged`)
  return createRenderer(row.text)
}
