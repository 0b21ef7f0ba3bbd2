// SPDX-License-Identifier: MIT
// The old server and a node, asked the same: a report of farmctl that is dropped here and leaves this browser never.
import { useMemo } from 'react'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { t } from '../../../../languages/t.ts'
import type { Import } from '../../../../lib/api-types.ts'
import type { ImportSearch } from '../search.ts'
import { useFileDrop } from '../use-file-drop.ts'
import { CommandPanel } from './command-panel.tsx'
import classes from './comparison.module.css'
import { requestsOf } from './differing.ts'
import { LoadPanel } from './load-panel.tsx'
import { FailurePanel, OpenPanel, OutcomePanel } from './open-panel.tsx'
import { RequestsPanel } from './requests-panel.tsx'
import { useReport } from './use-report.ts'

type Props = {
  /** What the import said, where one was made in this tab. */
  imported: Import | undefined
  search: ImportSearch
  onSearch: (search: ImportSearch) => void
}

export function ComparisonView({ imported, search, onSearch }: Props) {
  const { open, isReading, failure, take, close } = useReport()
  const drop = useFileDrop(({ files }) => take([...files]))
  const report = open?.report
  const requests = useMemo(() => (report ? requestsOf(report) : []), [report])
  return (
    <div className={classes.view} {...drop}>
      {failure !== null && <FailurePanel failure={failure} />}
      {open === null ? (
        <OpenPanel isReading={isReading} onChoose={take} />
      ) : (
        <>
          <OutcomePanel
            open={open}
            differing={requests.length}
            isReading={isReading}
            onChoose={take}
            onClose={close}
          />
          {requests.length === 0 ? (
            <div className="panel">
              <EmptyState title={t('No request differs')}>
                {t(
                  'Status, location, type, caching, encoding and bytes are the same for each path of the list. What is not in the list was not asked.',
                )}
              </EmptyState>
            </div>
          ) : (
            <RequestsPanel
              requests={requests}
              report={open.report}
              findings={imported?.findings ?? []}
              search={search}
              onSearch={onSearch}
            />
          )}
          <LoadPanel runs={open.report.runs} />
        </>
      )}
      <CommandPanel draft={imported?.draft ?? null} report={report ?? null} />
    </div>
  )
}
