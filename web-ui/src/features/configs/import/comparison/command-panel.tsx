// SPDX-License-Identifier: MIT
// How such a file is made, with the names of the report that is open, else of the draft.
import { CopyField } from '../../../../components/copy-field.tsx'
import { t } from '../../../../languages/t.ts'
import { T } from '../../../../languages/text.tsx'
import importClasses from '../import.module.css'
import { compareCommand, listCommand, namesOfDraft, namesOfReport, usualNames } from './command.ts'
import type { Report } from './report-file.ts'

type Props = { draft: string | null; report: Report | null }

export function CommandPanel({ draft, report }: Props) {
  const names = report ? namesOfReport(report) : draft ? namesOfDraft(draft) : usualNames
  return (
    <section className="panel" aria-labelledby="comparison-command">
      <div className="panel-head">
        <h2 id="comparison-command">
          {report ? t('Compare again') : t('How to make a comparison')}
        </h2>
      </div>
      <div className={`panel-body stack ${importClasses.prose}`}>
        <p>
          {t(
            'Put a node with the draft beside the old server, on other ports. Then, on a machine that reaches both:',
          )}
        </p>
        <CopyField label={t('List the pages of the old server')} value={listCommand(names)} />
        <CopyField label={t('Ask both for them')} value={compareCommand(names)} />
        <p className="dim">
          <T
            text="The second also writes <code>comparison.md</code>, the same as text to go with the report of the import, and loads both in turn; <load>--no-load</load> leaves that out. Neither needs a sign-in. Change the addresses where the servers listen elsewhere."
            code={<code />}
            load={<code />}
          />
        </p>
      </div>
    </section>
  )
}
