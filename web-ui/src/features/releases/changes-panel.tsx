// SPDX-License-Identifier: MIT

import { NativeSelect } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { type Column, LongTable } from '../../components/long-table.tsx'
import { NextPage } from '../../components/next-page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { FileChange, ReleaseVersion } from '../../lib/api-types.ts'
import { formatBytes } from '../../lib/format.ts'
import { changesQuery, changeTotalsQuery, versionQuery, versionsQuery } from './api.ts'
import { ChangeCounts } from './change-counts.tsx'
import classes from './releases.module.css'

type Props = {
  version: ReleaseVersion
  /** null: it is the first. */
  from: number | null
  onFrom: (from: number) => void
}

export function ChangesPanel({ version, from, onFrom }: Props) {
  const { release: name, number } = version
  const others = useInfiniteQuery(versionsQuery(name))
  const known = others.data?.pages.flatMap(({ items }) => items) ?? []
  const choices = known.map((one) => one.number).filter((one) => one !== number)
  const all = from === null || choices.includes(from) ? choices : [from, ...choices]
  return (
    <section className="panel" aria-label={t('Changes')}>
      <div className="panel-head">
        <NativeSelect
          size="xs"
          label={t('Against')}
          value={from === null ? '' : String(from)}
          data={[
            ...(from === null ? [{ value: '', label: t('nothing: it is the first') }] : []),
            ...all.map((one) => ({ value: String(one), label: `v${one}` })),
          ]}
          onChange={({ currentTarget: { value } }) => value !== '' && onFrom(Number(value))}
        />
      </div>
      {from === null ? (
        <Changes manifest={version.manifest} from={null} />
      ) : (
        <Against key={from} version={version} from={from} />
      )}
    </section>
  )
}

function Against({ version, from }: { version: ReleaseVersion; from: number }) {
  const before = useQuery(versionQuery(version.release, from))
  return (
    <QueryStates query={before} what={t('Version {from}', { from })} skeletonRows={5}>
      {({ manifest }) => <Changes manifest={version.manifest} from={manifest} />}
    </QueryStates>
  )
}

function Changes({ manifest, from }: { manifest: string; from: string | null }) {
  const totals = useQuery(changeTotalsQuery(manifest, from)).data
  const changes = useInfiniteQuery(changesQuery(manifest, from))
  return (
    <>
      {totals && (
        <p className="panel-body">
          <T
            text="{changeCounts}, {bytes} new"
            changeCounts={<ChangeCounts {...totals} />}
            bytes={formatBytes(totals.bytes)}
          />
        </p>
      )}
      <QueryStates query={changes} what={t('The changes')} skeletonRows={5}>
        {({ pages }) => {
          const known = pages.flatMap(({ items }) => items)
          if (known.length === 0 && !changes.hasNextPage) {
            return (
              <EmptyState title={t('No difference')}>{t('Both have the same files.')}</EmptyState>
            )
          }
          return (
            <LongTable
              label={t('Changes, table')}
              columns={columns}
              rows={known}
              keyOf={keyOf}
              hasMore={changes.hasNextPage}
            >
              {({ path, before, after }) => (
                <>
                  <td className="nowrap">{kindOf(before, after)}</td>
                  <td className={classes.path}>{path}</td>
                  <td className="nowrap wide-only">{sideText(before)}</td>
                  <td className="nowrap">{sideText(after)}</td>
                </>
              )}
            </LongTable>
          )
        }}
      </QueryStates>
      <NextPage of={changes}>{t('Show more changes')}</NextPage>
    </>
  )
}

const columns: Column[] = [
  { title: t('What') },
  { title: t('Path') },
  { title: t('Before'), className: 'wide-only' },
  { title: t('Now') },
]
const keyOf = ({ path }: FileChange) => path

type Side = FileChange['before']

const kindOf = (before: Side, after: Side) =>
  before === null ? t('+ added') : after === null ? t('− removed') : t('~ changed')

function sideText(side: Side): string {
  if (side === null) return '–'
  return side.type === 'link'
    ? t('link to {target}', { target: side.target })
    : formatBytes(side.size)
}
