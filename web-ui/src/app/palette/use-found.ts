// SPDX-License-Identifier: MIT
// Everything that the palette finds: pages and actions at once, the rest when the control plane has answered.

import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { configSchemaQuery, draftQuery } from '../../features/configs/api.ts'
import { find, optionsOf } from '../../features/configs/form/find.ts'
import { readText } from '../../features/configs/form/form-state.ts'
import { docsIndexQuery } from '../../features/docs/index-query.ts'
import type { DocHeading } from '../../features/docs/markdown.ts'
import { syncVerdict } from '../../features/nodes/rules.ts'
import { rolloutVerdict } from '../../features/rollouts/rules.ts'
import { t } from '../../languages/t.ts'
import type { Config, Node, Session } from '../../lib/api-types.ts'
import { groupNamesQuery, nodesNamedQuery } from '../../lib/name-queries.ts'
import { may } from '../../lib/permissions.ts'
import {
  configsToFindQuery,
  peopleFoundQuery,
  peopleToFindQuery,
  rolloutsFoundQuery,
  rolloutsToFindQuery,
  versionsToFindQuery,
} from './api.ts'
import { type Found, SHOWN_OF_EACH, versionIn, wordsOf } from './found.ts'

const TYPING_MS = 150

type Navigate = ReturnType<typeof useNavigate>

export function useFound(session: Session, typed: string) {
  const [settled] = useDebouncedValue(typed.trim(), TYPING_MS)
  const navigate = useNavigate()
  const enabled = settled !== ''
  const nodes = useQuery({ ...nodesNamedQuery(settled), enabled })
  const configs = useQuery({ ...configsToFindQuery, enabled })
  const versions = useVersions(settled, configs.data)
  const rollouts = useQuery({ ...rolloutsToFindQuery, enabled })
  const groups = useQuery({ ...groupNamesQuery, enabled })
  const people = useQuery({ ...peopleToFindQuery, enabled: enabled && may(session, 'users:read') })
  const moreRollouts = useQuery({ ...rolloutsFoundQuery(settled), enabled })
  const morePeople = useQuery({
    ...peopleFoundQuery(settled),
    enabled: enabled && may(session, 'users:read'),
  })
  const options = useOptions(settled, configs.data, navigate)
  const docs = useQuery({ ...docsIndexQuery, enabled })
  const queries = [
    nodes,
    configs,
    versions,
    rollouts,
    moreRollouts,
    groups,
    people,
    morePeople,
    docs,
  ]
  const found = [
    ...(nodes.data?.items ?? []).map((node) => foundNode(node, navigate)),
    // What still stands there of the words before has another number.
    ...moreNodes(nodes.isPlaceholderData ? 0 : (nodes.data?.total ?? 0), settled, navigate),
    ...(configs.data ?? []).map((config) => foundConfig(config, navigate)),
    ...(versions.data ?? []).map(
      ({ config: name, number, message, author }): Found => ({
        ...{ key: `version ${name} ${number}`, kind: 'Versions' },
        ...{ label: `${name} v${number}`, detail: message, words: `${number} ${author}` },
        open: () =>
          void navigate({ to: '/configs/$name/versions/$number', params: { name, number } }),
      }),
    ),
    ...eachOnce(rollouts.data, moreRollouts.data).map(
      ({ id, config, version, state, author, message }): Found => ({
        ...{
          key: id,
          kind: 'Rollouts',
          label: t('Rollout of {config} v{version}', { config, version }),
        },
        ...{
          detail: t('{label}, by {author}', { label: rolloutVerdict[state].label, author }),
          words: message,
        },
        open: () => void navigate({ to: '/rollouts/$id', params: { id } }),
      }),
    ),
    ...(groups.data ?? []).map(
      (name): Found => ({
        ...{ key: `group ${name}`, kind: 'Groups', label: name, detail: t('Its nodes') },
        open: () => void navigate({ to: '/nodes', search: { group: name } }),
      }),
    ),
    ...eachOnce(people.data, morePeople.data).map(
      ({ id, username, roles }): Found => ({
        ...{ key: id, kind: 'People', label: username, detail: roles.join(', ') },
        open: () => void navigate({ to: '/settings/users' }),
      }),
    ),
    ...options,
    ...(docs.data ?? []).map((heading) => foundDoc(heading, navigate)),
  ]
  return {
    found,
    isLooking:
      settled !== typed.trim() ||
      nodes.isPlaceholderData ||
      queries.some(({ isLoading }) => isLoading),
    failed: queries.find(({ error }) => error !== null)?.error ?? null,
  }
}

/** The newest are at hand while one types; what the control plane finds besides comes after them. */
function eachOnce<Of extends { id: string }>(atHand: readonly Of[] = [], more: readonly Of[] = []) {
  const known = new Set(atHand.map(({ id }) => id))
  return [...atHand, ...more.filter(({ id }) => !known.has(id))]
}

const foundNode = ({ id, name, hostname, labels, group, sync }: Node, go: Navigate): Found => ({
  ...{ key: id, kind: 'Nodes', label: name },
  detail: t('{label}, group {group}', { label: syncVerdict[sync.state].label, group }),
  words: [hostname, ...Object.entries(labels).map(([key, value]) => `${key}=${value}`)].join(' '),
  open: () => void go({ to: '/nodes/$id', params: { id } }),
})

const foundDoc = ({ page, title, heading, id }: DocHeading, go: Navigate): Found => ({
  ...{ key: `doc ${page} ${id}`, kind: 'Docs', label: heading },
  detail: id === '' ? t('A page of the docs') : title,
  words: page,
  open: () => void go({ to: '/docs/$page', params: { page }, hash: id }),
})

/** The list has all of them. */
function moreNodes(total: number, typed: string, go: Navigate): Found[] {
  if (total <= SHOWN_OF_EACH) return []
  const open = () => void go({ to: '/nodes', search: { q: typed } })
  return [
    {
      ...{ key: 'all nodes', kind: 'Pages', label: t('Nodes with “{typed}”', { typed }) },
      ...{ detail: t('All {total} in the list', { total }), words: typed, open },
    },
  ]
}

const foundConfig = ({ name, latestVersion, draftChanged }: Config, go: Navigate): Found => ({
  ...{ key: `config ${name}`, kind: 'Configs', label: name },
  detail: [
    latestVersion === null
      ? t('No version yet')
      : t('Newest is v{latestVersion}', { latestVersion }),
    ...(draftChanged ? [t('changed since')] : []),
  ].join(', '),
  open: () => void go({ to: '/configs/$name', params: { name } }),
})

/** Versions are listed config by config: those named are asked, and without a name those that changed last. */
const CONFIGS_ASKED = 4

function useVersions(typed: string, configs: readonly Config[] | undefined) {
  const { name, number } = versionIn(typed)
  const saved = (configs ?? [])
    .filter(({ latestVersion }) => latestVersion !== null)
    .toSorted((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))
  const words = wordsOf(name)
  const named = saved.filter((one) => words.length > 0 && words.every((w) => one.name.includes(w)))
  const asked = (named.length > 0 ? named : saved).slice(0, CONFIGS_ASKED)
  // A name that is none is a word of a message.
  const part = number ?? (named.length > 0 ? '' : typed)
  return useQuery({
    ...versionsToFindQuery(
      asked.map((one) => one.name),
      part,
    ),
    enabled: typed !== '' && asked.length > 0,
  })
}

const NO_CONFIGS: readonly Config[] = []

/** Of the config that is open, else of `default`, else of the first. */
function useOptions(typed: string, configs = NO_CONFIGS, navigate: Navigate): Found[] {
  const { name: open } = useParams({ strict: false })
  const names = configs.map(({ name }) => name)
  const name = [open, 'default'].find((one) => one && names.includes(one)) ?? names[0] ?? ''
  const enabled = typed !== ''
  const schema = useQuery({ ...configSchemaQuery, enabled }).data
  const draft = useQuery({
    ...draftQuery(name),
    ...{ enabled: enabled && name !== '', staleTime: 60_000 },
  }).data
  const options = useMemo(() => {
    const reading = readText(draft?.body.text ?? '')
    return schema === undefined || name === ''
      ? []
      : optionsOf(schema, reading.ok ? reading.value : {})
  }, [schema, draft, name])
  return useMemo(
    () =>
      find(options, typed)
        .slice(0, SHOWN_OF_EACH * 2)
        .map(
          (option): Found => ({
            ...{ key: `option ${option.pointer} ${option.name}`, kind: 'Options' },
            // It is found by more forms of a word than its own.
            ...{ label: option.title, words: `${option.name} ${option.help} ${typed}` },
            detail: [name, ...option.within].join(' › '),
            open: () =>
              void navigate({
                ...{ to: '/configs/$name', params: { name } },
                search: { view: 'form', pointer: option.pointer },
              }),
          }),
        ),
    [options, typed, name, navigate],
  )
}
