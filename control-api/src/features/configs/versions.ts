// SPDX-License-Identifier: MIT
// Saving versions and releasing them, for the API and for the operator's commands.
import type { Kysely } from 'kysely'
import { contentDigest } from '../../agent-protocol/content.ts'
import type { CertificateVersion, ReleaseVersion } from '../../agent-protocol/messages.gen.ts'
import type { ConfigError } from '../../api-shapes/common.ts'
import type { Unit, Write } from '../../audit/write.ts'
import { Kept } from '../../base/kept.ts'
import { givenVersions } from '../../certificates/store.ts'
import type { Database, Reader } from '../../db/database.ts'
import type { Release, Releases } from '../../fleet/agent-ports.ts'
import type { Adopt } from '../../fleet/config-ports.ts'
import type { JsonValue } from '../../json/values.ts'
import type { RenderTarget } from '../../labels/grouping.ts'
import { NodeCheckUnavailable } from '../../node-check/errors.ts'
import { type Chosen, givenReleases, NONE_CHOSEN } from '../../releases/given-store.ts'
import type { Validate, Validation } from './check/validation.ts'
import { ConfigInvalid, ParentNotLatest } from './errors.ts'
import { authorsText, type Laid, layOver, type Rendered, renderForNode } from './render/render.ts'
import { valuesFor } from './render/variables.ts'
import type { Source } from './schema.ts'
import { keepSites } from './sites-store.ts'
import {
  findVersion,
  insertRelease,
  insertVersion,
  lastRelease,
  lastReleaseFor,
  latestVersion,
  provenReleasesFor,
  versionWithText,
} from './store.ts'
import { namesInValue } from './text/certificates.ts'
import { digestOf } from './text/digest.ts'
import { releasesInValue } from './text/releases.ts'
import type { TextSite } from './text/sites.ts'

export type SaveVersion = {
  config: string
  text: string
  parent: number | null
  author: string
  message: string
  source: Source
}
/** `created` false: it was the latest version's very text already. */
export type Saved = { number: number; created: boolean }
type SaveDeps = {
  write: Write
  validate: Validate
  sitesIn: (text: string) => Promise<TextSite[]>
  now: () => number
}

/** What saving a version can refuse with. */
export const saveErrors = [ParentNotLatest, ConfigInvalid, NodeCheckUnavailable]

/** The digest of a text that may be kept; else the refusal that says why not. */
export function requireValid(validation: Validation): string {
  if (validation.ok) return validation.digest
  const { unavailable, errors } = validation
  const refusal =
    unavailable === null ? new ConfigInvalid(errors.length) : new NodeCheckUnavailable(unavailable)
  throw refusal.withErrors(errors)
}

/** The latest version's very text again makes no new version: scripts may say the same as often as they like. */
export async function saveVersion(
  { write, validate, sitesIn, now }: SaveDeps,
  version: SaveVersion,
): Promise<Saved> {
  const digest = requireValid(await validate(version.text))
  const sites = await sitesIn(version.text)
  return write((unit) => storeVersion(unit, { ...version, digest, sites }, now()))
}

export type VersionPlan = Saved & { digest: string; source: Source; latest: string | null }

/** What saving would do; refuses what saving would refuse. `latest` is the text there is now. */
export async function planVersion(
  db: Kysely<Database>,
  validate: Validate,
  version: SaveVersion,
): Promise<VersionPlan> {
  const digest = requireValid(await validate(version.text))
  const latest = await latestVersion(db, version.config)
  if (latest?.text === version.text) {
    const { number, source } = latest
    return { number, created: false, digest, source: source as Source, latest: latest.text }
  }
  requireLatest(version, latest?.number ?? null)
  const { source } = await withOrigin(db, { ...version, digest })
  const number = (version.parent ?? 0) + 1
  return { number, created: true, digest, source, latest: latest?.text ?? null }
}

type Import = { config: string; text: string; author: string; message: string; release: boolean }

/** From a file, on top of whatever there is. */
export async function importConfig(deps: SaveDeps, { release, ...given }: Import): Promise<number> {
  const digest = requireValid(await deps.validate(given.text))
  const sites = await deps.sitesIn(given.text)
  return deps.write(async (unit) => {
    const parent = (await latestVersion(unit.trx, given.config))?.number ?? null
    const version = { ...given, parent, source: 'import' as const, digest, sites }
    const { number } = await storeVersion(unit, version, deps.now())
    if (release)
      await releaseVersion(
        unit,
        { config: given.config, version: number, rolloutId: null, actor: given.author },
        deps.now(),
      )
    return number
  })
}

type Checked = SaveVersion & { digest: string }
type Read = Checked & { sites: readonly TextSite[] }

async function storeVersion(
  unit: Unit,
  { sites, ...version }: Read,
  nowMs: number,
): Promise<Saved> {
  const { config, parent, text, author, message, digest } = version
  const latest = await latestVersion(unit.trx, config)
  if (latest?.text === text) return { number: latest.number, created: false }
  requireLatest(version, latest?.number ?? null)
  const { source, restored } = await withOrigin(unit.trx, version)
  const number = await insertVersion(unit, { ...version, source }, nowMs)
  await keepSites(unit, { config, version: number }, sites)
  await unit.emit({
    kind: 'config',
    id: config,
    action: 'version-created',
    actor: author,
    data: { number, parent, message, digest, source, ...(restored !== null && { restored }) },
  })
  return { number, created: true }
}

function requireLatest({ config, parent }: SaveVersion, latest: number | null): void {
  if (latest !== parent) throw new ParentNotLatest(config, latest, parent)
}

/** Who brings an older text back at the console restores it, by whichever way. */
async function withOrigin(db: Kysely<Database>, version: Checked) {
  const { source } = version
  if (source !== 'ui' && source !== 'revert') return { source, restored: null }
  const restored = await versionWithText(db, version)
  return { source: restored === null ? source : ('revert' as const), restored }
}

type AdoptDeps = SaveDeps & { db: Kysely<Database> }

/** Without what overrides and variables put in: that goes on differing per node. */
export function createAdopt(deps: AdoptDeps): Adopt {
  return async ({ config, version, target, text, author, message }) => {
    const given = await findVersion(deps.db, config, version)
    const parent = (await latestVersion(deps.db, config))?.number ?? null
    const authors = given ? authorsText(text, given.text, target) : text
    const saved = await saveVersion(deps, {
      config,
      text: authors,
      parent,
      author,
      message,
      source: 'drift',
    })
    return saved.number
  }
}

type Released = {
  config: string
  version: number
  rolloutId: string | null
  /** Left out: a rollout that went through. */
  actor?: string
}

/** From now on new nodes get it. */
export async function releaseVersion(unit: Unit, released: Released, nowMs: number): Promise<void> {
  const last = await lastRelease(unit.trx)
  if (last?.config === released.config && last.version === released.version) return
  await insertRelease(unit, { ...released, nowMs })
  const { config, version, rolloutId, actor } = released
  const before = last ? { config: last.config, version: last.version } : null
  await unit.emit({
    kind: 'config',
    id: config,
    action: 'released',
    ...(actor !== undefined && { actor }),
    data: { version, rolloutId, before, after: { config, version } },
  })
}

/** Versions as nodes get them. */
export function createReleases(): Releases {
  return {
    async releasedVersion(trx, to): Promise<Release | null> {
      return (await lastReleaseFor(trx, to)) ?? null
    },
    provenReleases: (trx, to) => provenReleasesFor(trx, to),
    rendererOf(versionText) {
      const render = createRenderer(versionText)
      const known = new WeakMap<Rendered, ReturnType<typeof withParts>>()
      return (db, target) => {
        const rendered = render(target)
        const whole = known.get(rendered) ?? withParts(db, rendered)
        known.set(rendered, whole)
        return whole
      }
    },
    errorsForAuthor({ versionText, target, given }, errors) {
      const { text, toAuthor } = renderVersion(versionText, target)
      return text === given ? errors.map(toAuthor) : [...errors]
    },
  }
}

async function withParts(db: Reader, { text, value }: Rendered) {
  if (value === undefined) return null
  const names = namesInValue(value)
  const certificates = await givenVersions(db, names, 'proved')
  if (certificates.length < names.length) return null
  const wanted = releasesInValue(value)
  const releases = await givenReleases(db, wanted)
  if (releases.length < wanted.length) return null
  const configDigest = digestOf(value)
  const digest = contentDigest(configDigest, certificates, releases)
  return { text, configDigest, certificates, releases, digest }
}

function renderVersion(versionText: string, target: RenderTarget): Rendered {
  const rendered = renderForNode(versionText, target)
  if (!rendered) throw new Error(DAMAGED)
  return rendered
}

const DAMAGED = 'a stored version does not parse: control.db is damaged'

/** A farm may have an override for each node, and a text for each: what goes is made anew when it is asked for. */
const MOST_KEPT_BYTES = 128 * 1024 * 1024
/** As JavaScript has texts. */
const BYTES_PER_UNIT = 2

/** What the nodes with the same overrides share. A text keeps what it was made of, so they go together. */
type Shared = { laid: Laid; byValues: Map<string, Rendered>; bytes: number }

/** One version for many nodes: what they have in common is done once. */
export function createRenderer(versionText: string): (target: RenderTarget) => Rendered {
  const byPatches = new Kept<Shared>({ mostBytes: MOST_KEPT_BYTES })
  const layOut = (target: RenderTarget): Shared => {
    const laid = layOver(versionText, target)
    if (!laid) throw new Error(DAMAGED)
    return { laid, byValues: new Map(), bytes: laid.bytes }
  }
  return (target) => {
    const { group, node } = target
    const patches = JSON.stringify([group.name, group.mergePatch, node.mergePatch])
    const shared = byPatches.get(patches) ?? layOut(target)
    const { key, render } = shared.laid.fill(valuesFor(target))
    const known = shared.byValues.get(key)
    const rendered = known ?? render()
    if (!known) {
      shared.byValues.set(key, rendered)
      shared.bytes += BYTES_PER_UNIT * (key.length + rendered.text.length)
    }
    byPatches.set(patches, shared, shared.bytes)
    return rendered
  }
}

export type NodeValidation = {
  text: string
  /** Of the text and what goes with it. null: it may not be given to the node; `errors` says why, in places of the author's text. */
  digest: string | null
  configDigest: string | null
  certificates: CertificateVersion[]
  releases: ReleaseVersion[]
  errors: ConfigError[]
  unavailable: string | null
  /** Turns places in `text` into places in the author's text. */
  toAuthor: (error: ConfigError) => ConfigError
}

/** Would each node take this version as it would get it? Nodes that would get the same text share one check. */
export function createNodeChecks(
  { db, validate }: { db: Reader; validate: Validate },
  versionText: string,
  chosen: Chosen = NONE_CHOSEN,
) {
  const render = createRenderer(versionText)
  /** Asked once, however many ask at once. */
  const answers = new Kept<Promise<Validation>>({ mostBytes: MOST_KEPT_BYTES })
  const known = new WeakMap<Rendered, Promise<NodeValidation>>()
  const withNewest = async (value: JsonValue, configDigest: string) => {
    const certificates = await givenVersions(db, namesInValue(value), 'newest')
    const releases = await givenReleases(db, releasesInValue(value), chosen)
    const digest = contentDigest(configDigest, certificates, releases)
    return { configDigest, certificates, releases, digest }
  }
  const look = async ({ text, value, errors, toAuthor }: Rendered): Promise<NodeValidation> => {
    const nothing = { digest: null, configDigest: null, certificates: [], releases: [] }
    if (errors.length > 0) return { text, ...nothing, errors, unavailable: null, toAuthor }
    const asked = answers.get(text) ?? validate(text)
    answers.set(text, asked, BYTES_PER_UNIT * text.length)
    const validation = await asked
    const content =
      validation.ok && value !== undefined ? await withNewest(value, validation.digest) : nothing
    return {
      text,
      ...content,
      errors: validation.errors.map(toAuthor),
      unavailable: validation.ok ? null : validation.unavailable,
      toAuthor,
    }
  }
  return {
    textFor: (target: RenderTarget): string => render(target).text,
    check(target: RenderTarget): Promise<NodeValidation> {
      const rendered = render(target)
      const answer = known.get(rendered) ?? look(rendered)
      known.set(rendered, answer)
      return answer
    },
  }
}
