// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import type { Place } from '../../components/code/positions.ts'
import { ButtonLink } from '../../components/links.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import type { Config, Session, Version } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { whyNot } from '../../lib/permissions.ts'
import { configQuery, draftQuery, type TaggedDraft } from './api.ts'
import { ConfigTabs } from './config-tabs.tsx'
import classes from './configs.module.css'
import { DraftStatus, DraftTrouble } from './draft-status.tsx'
import { ConfigEditor, type ConfigEditorHandle } from './editor/config-editor.tsx'
import { ProblemsPanel } from './problems-panel.tsx'
import { SaveVersionDialog } from './save-version-dialog.tsx'
import { type DraftHandle, useDraft } from './use-draft.ts'
import { type Checked, useProblems } from './use-problems.ts'

export type ConfigScreenProps = { name: string; session: Session; place: Place }

export function ConfigScreen({ name, session, place }: ConfigScreenProps) {
  const config = useQuery(configQuery(name))
  const draft = useQuery(draftQuery(name))
  if (config.data === undefined || draft.data === undefined) {
    return (
      <Page title={name}>
        <QueryStates query={config} what={`Config ${name}`} skeletonRows={8}>
          {() => (
            <QueryStates query={draft} what="The draft" skeletonRows={8}>
              {() => null}
            </QueryStates>
          )}
        </QueryStates>
      </Page>
    )
  }
  return (
    <div className="stack">
      {config.isError ? (
        <QueryStates query={config} what={`Config ${name}`}>
          {() => null}
        </QueryStates>
      ) : (
        <QueryStates query={draft} what="The draft">
          {() => null}
        </QueryStates>
      )}
      <OpenConfig config={config.data} saved={draft.data} session={session} place={place} />
    </div>
  )
}

type OpenConfigProps = { config: Config; saved: TaggedDraft; session: Session; place: Place }

function OpenConfig({ config, saved, session, place }: OpenConfigProps) {
  const draft = useDraft(config.name, saved)
  const checked = useProblems(draft.text)
  const editor = useRef<ConfigEditorHandle>(null)
  const [saving, setSaving] = useState(false)
  const [savedVersion, setSavedVersion] = useState<Version | null>(null)
  const mayNotWrite = whyNot(session, 'configs:write')
  return (
    <Page
      title={config.name}
      meta={<DraftStatus draft={draft} config={config} />}
      actions={
        <>
          {config.latestVersion !== null && (
            <ButtonLink
              variant="default"
              to="/rollouts/new"
              search={{ config: config.name, version: config.latestVersion }}
            >
              Plan rollout of v{config.latestVersion}
            </ButtonLink>
          )}
          <ActionButton
            blockedBy={mayNotWrite ?? whyNotSave(draft, config, checked)}
            onClick={() => setSaving(true)}
          >
            Save version
          </ActionButton>
        </>
      }
    >
      <ConfigTabs name={config.name} />
      {savedVersion !== null && <SavedNotice version={savedVersion} />}
      <DraftTrouble draft={draft} />
      <div className="panel">
        <div className={classes.bar}>
          <span>
            {config.draftChanged && config.latestVersion !== null ? (
              <Link
                to="/configs/$name/compare"
                params={{ name: config.name }}
                search={{ from: config.latestVersion, to: 'draft' }}
              >
                Compare with v{config.latestVersion}
              </Link>
            ) : (
              <span className="dim">JSON with comments</span>
            )}
          </span>
          <span className={classes.keys}>
            <kbd>Ctrl</kbd>+<kbd>Space</kbd> suggests, <kbd>F8</kbd> next problem, <kbd>Ctrl</kbd>+
            <kbd>F</kbd> finds
          </span>
        </div>
        <div className={classes.editorArea}>
          <ConfigEditor
            ref={editor}
            text={draft.text}
            label={`Draft of config ${config.name}`}
            readOnly={mayNotWrite !== null}
            schema={checked.schema}
            problems={checked.problems}
            place={place}
            onChange={draft.change}
          />
        </div>
        <ProblemsPanel
          problems={checked.problems}
          check={checked.check}
          onShow={({ line, column }) => editor.current?.show({ line, column })}
        />
      </div>
      {saving && (
        <SaveVersionDialog
          config={config}
          draft={draft}
          onClose={() => setSaving(false)}
          onSaved={(version) => {
            setSaving(false)
            setSavedVersion(version)
          }}
        />
      )}
    </Page>
  )
}

function SavedNotice({ version }: { version: Version }) {
  return (
    <Notice
      tone="good"
      live
      title={`Version ${version.number} is saved`}
      action={
        <ButtonLink
          size="xs"
          to="/rollouts/new"
          search={{ config: version.config, version: version.number }}
        >
          Plan rollout of v{version.number}
        </ButtonLink>
      }
    >
      The nodes go on with what they run until it is rolled out.
    </Notice>
  )
}

function whyNotSave(draft: DraftHandle, config: Config, checked: Checked): string | null {
  if (draft.save.kind === 'conflict') return 'Choose between the two texts first.'
  if (checked.problems.length > 0) {
    return `Mend the ${plural(checked.problems.length, 'problem')} first.`
  }
  if (checked.check.kind === 'checking') return 'Being checked…'
  if (checked.check.kind === 'unchecked') return 'farmstead-node has not checked it.'
  if (!draft.dirty && !config.draftChanged && config.latestVersion !== null) {
    return `Nothing has changed since v${config.latestVersion}.`
  }
  return null
}
