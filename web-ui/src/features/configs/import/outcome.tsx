// SPDX-License-Identifier: MIT
// What the files become: the draft, what one does with it and gains by it, and below it the three lists.
import { Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionButton } from '../../../components/action-button.tsx'
import { LazyCodeView } from '../../../components/code/lazy-code.tsx'
import { ConfigErrors } from '../../../components/config-errors.tsx'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Notice } from '../../../components/notice.tsx'
import { SkeletonRows } from '../../../components/query-states.tsx'
import { MarkedText } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import { isApiError } from '../../../lib/api-error.ts'
import type { Finding, Import, KnownImports, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { FindingsPanel } from './findings-panel.tsx'
import { Gains } from './gains.tsx'
import classes from './import.module.css'
import { SaveDraftDialog } from './save-draft-dialog.tsx'
import type { ImportSearch } from './search.ts'

type Where = Pick<Finding, 'file' | 'line'>
type Props = {
  outcome: UseQueryResult<Import>
  server: string
  known: KnownImports
  session: Session
  search: ImportSearch
  onSearch: (search: ImportSearch) => void
  onOpen: (where: Where) => void
}

export function Outcome({ outcome, server, session, ...rest }: Props) {
  if (outcome.isError) return <Unread error={outcome.error} onOpen={rest.onOpen} />
  if (!outcome.data) {
    return (
      <div className="panel">
        <SkeletonRows rows={8} label={t('What it becomes')} />
      </div>
    )
  }
  return (
    <>
      <DraftPanel imported={outcome.data} server={server} session={session} />
      <FindingsPanel findings={outcome.data.findings} {...rest} />
    </>
  )
}

function Unread({ error, onOpen }: { error: unknown; onOpen: (where: Where) => void }) {
  const where = placeOf(error)
  return (
    <>
      <ErrorBox what={t('Nothing was imported')} error={error} />
      {where !== null && (
        <div className="row">
          <Button variant="default" onClick={() => onOpen(where)}>
            {t('Open the file at line {line}', { line: where.line })}
          </Button>
          <span className="dim">
            {t('If it is the config of another server, choose that one above.')}
          </span>
        </div>
      )}
    </>
  )
}

/** Where the text can't be read; null: it is another failure. */
function placeOf(error: unknown): Where | null {
  if (!isApiError(error) || !('place' in error.problem)) return null
  return error.problem.place as Where
}

type DraftProps = { imported: Import; server: string; session: Session }

function DraftPanel({ imported, server, session }: DraftProps) {
  const [isSaving, setSaving] = useState(false)
  const { draft, report, gains, findings, ok, errors } = imported
  const saveReport = () => saveFile('import-report.md', new Blob([report], { type: MARKDOWN }))
  const reportButton = (
    <Button variant="default" onClick={saveReport}>
      {t('Download the report')}
    </Button>
  )
  if (draft === null) {
    return (
      <Notice tone="warn" live title={t('There is no draft')} action={reportButton}>
        {t(
          'Nothing of it is a static server’s work. The lists below say why, and what to do instead.',
        )}
      </Notice>
    )
  }
  return (
    <section className="panel" aria-labelledby="import-draft">
      <div className="panel-head">
        <h2 id="import-draft">{t('The draft')}</h2>
        <span role="status">
          <MarkedText verdict={ok ? TAKEN : REFUSED}>
            {ok
              ? t(
                  '{findings, plural, one {# directive} other {# directives}} read; farmstead-node accepts the draft',
                  { findings: findings.length },
                )
              : t(
                  '{findings, plural, one {# directive} other {# directives}} read; farmstead-node does not accept the draft',
                  { findings: findings.length },
                )}
          </MarkedText>
        </span>
      </div>
      <div className="panel-body stack">
        {errors.length > 0 && <ConfigErrors config={null} errors={errors} />}
        <div className="row">
          <ActionButton
            blockedBy={whyNot(session, 'configs:write')}
            onClick={() => setSaving(true)}
          >
            {t('Use the draft')}
          </ActionButton>
          <Button
            variant="default"
            onClick={() => saveFile('draft.jsonc', new Blob([draft], { type: JSON_TEXT }))}
          >
            {t('Download the draft')}
          </Button>
          {reportButton}
        </div>
        <p className={`dim ${classes.prose}`}>
          <T
            text="To try it, put a node beside the old server and <compare>compare their answers</compare>: the requests that they answer differently stand side by side."
            compare={<Link to="/import" search={{ view: 'compare' }} />}
          />
        </p>
      </div>
      <Gains gains={gains} />
      <details className={classes.text}>
        <summary>{t('Its text')}</summary>
        <LazyCodeView text={draft} label={t('Text of the draft')} />
      </details>
      {isSaving && (
        <SaveDraftDialog
          draft={draft}
          isAccepted={ok}
          message={t('From {server}', { server })}
          onClose={() => setSaving(false)}
        />
      )}
    </section>
  )
}

const MARKDOWN = 'text/markdown;charset=utf-8'
const JSON_TEXT = 'application/json;charset=utf-8'
const TAKEN = { tone: 'good', shape: 'disc' } as const
const REFUSED = { tone: 'bad', shape: 'square' } as const
