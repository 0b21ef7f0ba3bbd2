// SPDX-License-Identifier: MIT
import { Button, FileButton } from '@mantine/core'
import { Facts } from '../../../../components/facts.tsx'
import { Notice } from '../../../../components/notice.tsx'
import { StatePanel } from '../../../../components/state-panel.tsx'
import { t } from '../../../../languages/t.ts'
import { T } from '../../../../languages/text.tsx'
import { formatBytes } from '../../../../lib/format.ts'
import { formatExact } from '../../../../lib/time.ts'
import importClasses from '../import.module.css'
import { MOST_BYTES, type Unreadable } from './report-file.ts'
import type { OpenReport } from './use-report.ts'

type Chooses = { isReading: boolean; onChoose: (files: File[]) => void }

export const FailurePanel = ({ failure }: { failure: Unreadable }) => (
  <Notice tone="bad" title={failure.title}>
    {failure.message}
  </Notice>
)

export const OpenPanel = (props: Chooses) => (
  <section className="panel" aria-labelledby="comparison-open">
    <div className="panel-head">
      <h2 id="comparison-open">{t('The comparison')}</h2>
    </div>
    <div className="panel-body">
      <div className={importClasses.drop}>
        <p>
          <T text="<strong>Drop the file of the comparison here</strong>, or" strong={<strong />} />
        </p>
        <ChooseButton {...props} label={t('Choose the file')} />
        <p className="dim">
          {t(
            'It is what farmctl compare-servers writes with --json, at most {most}. It is read in this browser and sent nowhere.',
            { most: formatBytes(MOST_BYTES) },
          )}
        </p>
      </div>
    </div>
  </section>
)

function ChooseButton({ isReading, onChoose, label }: Chooses & { label: string }) {
  return (
    <FileButton multiple onChange={onChoose} inputProps={INPUT}>
      {(props) => (
        <Button {...props} variant="default" loading={isReading}>
          {label}
        </Button>
      )}
    </FileButton>
  )
}

const INPUT = { 'aria-label': t('File of the comparison') } as const

type OutcomeProps = Chooses & { open: OpenReport; differing: number; onClose: () => void }

/** How it went, in a sentence, and between whom. */
export function OutcomePanel({ open, differing, onClose, ...chooses }: OutcomeProps) {
  const { startedAt, servers, host, paths } = open.report
  const same = paths - differing
  return (
    <StatePanel
      label={t('Result of the comparison')}
      verdict={{
        label: t(
          '{paths, plural, one {# request} other {# requests}}: {same, number} the same, {differing, plural, one {# differs} other {# differ}}',
          { paths, same, differing },
        ),
        ...(differing === 0
          ? ({ tone: 'good', shape: 'disc' } as const)
          : ({ tone: 'warn', shape: 'triangle' } as const)),
      }}
      actions={
        <>
          <ChooseButton {...chooses} label={t('Choose another file')} />
          <Button variant="default" onClick={onClose}>
            {t('Close the comparison')}
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          { name: t('Old server'), value: <code>{servers.old}</code> },
          { name: t('New server'), value: <code>{servers.new}</code> },
          ...(host === null ? [] : [{ name: t('Asked for'), value: <code>{host}</code> }]),
          { name: t('Compared'), value: formatExact(startedAt) },
          { name: t('File'), value: <code>{open.name}</code> },
        ]}
      />
    </StatePanel>
  )
}
