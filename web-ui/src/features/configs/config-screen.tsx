// SPDX-License-Identifier: MIT

import { Button, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import type { Place } from '../../components/code/positions.ts'
import { ButtonLink } from '../../components/links.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { RolloutButton } from '../../components/rollout-link.tsx'
import { useWide } from '../../hooks/use-narrow.ts'
import { t } from '../../languages/t.ts'
import { T } from '../../languages/text.tsx'
import type { Config, Session, Version } from '../../lib/api-types.ts'
import { whyNot } from '../../lib/permissions.ts'
import { AnswersPanel } from './answers/answers-panel.tsx'
import { configQuery, draftQuery, type TaggedDraft } from './api.ts'
import { ConfigTabs } from './config-tabs.tsx'
import classes from './configs.module.css'
import { DiscardDialog } from './discard-dialog.tsx'
import { DraftStatus, DraftTrouble } from './draft-status.tsx'
import { ConfigEditor, type ConfigEditorHandle } from './editor/config-editor.tsx'
import { useDraftDocument } from './editor/use-draft-document.ts'
import effectClasses from './effect-panel.module.css'
import { EffectPanel } from './effect-panel.tsx'
import { ConfigForm, type ConfigFormHandle } from './form/config-form.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { NewerVersionNotice } from './newer-version-notice.tsx'
import type { Problem } from './problems.ts'
import { ProblemsPanel } from './problems-panel.tsx'
import { RecipeButton } from './recipes/recipe-button.tsx'
import { SaveVersionDialog } from './save-version-dialog.tsx'
import type { ConfigSearch } from './search.ts'
import { type DraftHandle, useDraft } from './use-draft.ts'
import { type Checked, useProblems } from './use-problems.ts'

export type ConfigScreenProps = {
  name: string
  session: Session
  search: ConfigSearch
  onSearch: (search: ConfigSearch) => void
}

export function ConfigScreen({ name, ...rest }: ConfigScreenProps) {
  const config = useQuery(configQuery(name))
  const draft = useQuery(draftQuery(name))
  if (config.data === undefined || draft.data === undefined) {
    return (
      <Page title={name}>
        <QueryStates query={config} what={t('Config {name}', { name })} skeletonRows={8}>
          {() => (
            <QueryStates query={draft} what={t('The draft')} skeletonRows={8}>
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
        <QueryStates query={config} what={t('Config {name}', { name })}>
          {() => null}
        </QueryStates>
      ) : (
        <QueryStates query={draft} what={t('The draft')}>
          {() => null}
        </QueryStates>
      )}
      <OpenConfig config={config.data} saved={draft.data} {...rest} />
    </div>
  )
}

const NOWHERE: Place = {}

type OpenConfigProps = Omit<ConfigScreenProps, 'name'> & { config: Config; saved: TaggedDraft }

function OpenConfig({ config, saved, session, search, onSearch }: OpenConfigProps) {
  const draft = useDraft(config.name, saved, session.user.id)
  const { document, change, past } = useDraftDocument(draft, draft.change)
  const checked = useProblems(draft.text)
  const editor = useRef<ConfigEditorHandle>(null)
  const form = useRef<ConfigFormHandle>(null)
  const [saving, setSaving] = useState(false)
  const [discarding, setDiscarding] = useState(false)
  const [savedVersion, setSavedVersion] = useState<Version | null>(null)
  const mayNotWrite = whyNot(session, 'configs:write')
  const cannotSave = mayNotWrite ?? whyNotSave(draft, config, checked)
  useSaveKey(() => {
    void draft.flush()
    if (cannotSave === null) setSaving(true)
  })
  const isWide = useWide()
  const view = search.view === 'both' && !isWide ? 'text' : (search.view ?? 'text')
  const show = ({ line, column, pointer }: Pick<Problem, 'line' | 'column' | 'pointer'>) => {
    editor.current?.show({ line, column })
    const isShown = form.current?.show(pointer) ?? true
    if (!isShown && view === 'form') onSearch({ line, column })
  }
  return (
    <Page
      title={config.name}
      meta={<DraftStatus draft={draft} config={config} />}
      actions={
        <>
          {config.latestVersion !== null && (
            <RolloutButton
              variant="default"
              config={config.name}
              version={config.latestVersion}
              latest={config.latestVersion}
              session={session}
            />
          )}
          <ActionButton blockedBy={cannotSave} onClick={() => setSaving(true)}>
            {t('Save version')}
          </ActionButton>
        </>
      }
    >
      <ConfigTabs name={config.name} />
      {savedVersion !== null && <SavedNotice version={savedVersion} />}
      <DraftTrouble
        draft={draft}
        me={session.user.username}
        onChange={change}
        onShowLine={(line) => {
          if (view === 'form') onSearch({ line })
          editor.current?.show({ line, column: 1 })
        }}
      />
      {mayNotWrite === null && <NewerVersionNotice config={config} draft={draft} />}
      <div className="panel">
        <div className={classes.bar}>
          <span className="row">
            <SegmentedControl
              aria-label={t('Edit as')}
              value={view}
              onChange={(next) =>
                onSearch(next === 'form' || next === 'both' ? { view: next } : {})
              }
              data={[
                { value: 'text', label: t('Text') },
                { value: 'form', label: t('Form') },
                ...(isWide ? [{ value: 'both', label: t('Both') }] : []),
              ]}
            />
            {config.draftChanged && config.latestVersion !== null ? (
              <>
                <Link
                  to="/configs/$name/compare"
                  params={{ name: config.name }}
                  search={{ from: config.latestVersion, to: 'draft' }}
                >
                  {t('Compare with v{latestVersion}', { latestVersion: config.latestVersion })}
                </Link>
                {mayNotWrite === null && (
                  <Button size="compact-xs" variant="subtle" onClick={() => setDiscarding(true)}>
                    {t('Discard changes')}
                  </Button>
                )}
              </>
            ) : (
              view === 'text' && <span className="dim">{t('JSON with comments')}</span>
            )}
          </span>
          <span className="row">
            {view === 'text' && <EditorKeys />}
            {mayNotWrite === null && <RecipeButton text={draft.text} onTake={change} />}
          </span>
        </div>
        <div className={effectClasses.columns} data-view={view}>
          {view !== 'text' && (
            <ConfigForm
              ref={form}
              text={draft.text}
              label={t('Form of config {name}', { name: config.name })}
              readOnly={mayNotWrite !== null}
              schema={checked.schema}
              schemaTrouble={checked.schemaTrouble}
              problems={problemsForForm(checked)}
              past={past}
              place={search.pointer}
              onChange={change}
              onShowInText={(pointer) => {
                if (view === 'both') editor.current?.show({ pointer })
                else onSearch(pointer === '' ? {} : { pointer })
              }}
              onReach={
                view === 'both' ? (pointer) => editor.current?.reveal({ pointer }) : undefined
              }
            />
          )}
          <div className={effectClasses.beside}>
            {view !== 'form' && (
              <div className={classes.editorArea}>
                <ConfigEditor
                  ref={editor}
                  draft={document}
                  label={t('Draft of config {name}', { name: config.name })}
                  readOnly={mayNotWrite !== null}
                  schema={checked.schema}
                  problems={checked.problems}
                  // In the form, if that is there: both would ask for the focus.
                  place={view === 'both' ? NOWHERE : search}
                  onChange={draft.change}
                />
              </div>
            )}
            <EffectPanel config={config.name} text={draft.text} checked={checked} onShow={show} />
          </div>
        </div>
        <AnswersPanel text={draft.text} checked={checked} session={session} />
        <ProblemsPanel
          problems={checked.problems}
          check={checked.check}
          isSticky={view === 'form'}
          onShow={show}
        />
      </div>
      <LeaveGuard draft={draft} />
      {discarding && (
        <DiscardDialog config={config} draft={draft} onClose={() => setDiscarding(false)} />
      )}
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

/** Ctrl+S or ⌘S, and never the browser's own dialog, which would save this page as a file. */
function useSaveKey(save: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return
    event.preventDefault()
    if (!event.repeat) save()
  })
  useEffect(() => {
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

function EditorKeys() {
  return (
    <span className={classes.keys}>
      <T
        text="<kbd>Ctrl</kbd>+<kbd>S</kbd> saves, <kbd>Ctrl</kbd>+<kbd>Space</kbd> suggests, <kbd>F8</kbd> next problem, <kbd>Ctrl</kbd>+<kbd>F</kbd> finds"
        kbd={<kbd />}
      />
    </span>
  )
}

/** The console's own word on a form is a pattern; at a field one waits for the node's sentence. */
function problemsForForm({ problems, check }: Checked): Problem[] {
  if (check.kind !== 'checking') return problems
  return problems.filter(({ code }) => code !== 'invalid_value')
}

function SavedNotice({ version }: { version: Version }) {
  return (
    <Notice
      tone="good"
      live
      title={t('Version {number} is saved', { number: version.number })}
      action={
        <ButtonLink
          size="xs"
          to="/rollouts/new"
          search={{ config: version.config, version: version.number }}
        >
          {t('New rollout of v{number}', { number: version.number })}
        </ButtonLink>
      }
    >
      {t('The nodes go on with what they run until it is rolled out.')}
    </Notice>
  )
}

function whyNotSave(draft: DraftHandle, config: Config, checked: Checked): string | null {
  if (draft.save.kind === 'conflict') return t('Choose between the two texts first.')
  if (draft.unresolved.length > 0) {
    return t('Resolve the {unresolved, plural, one {# conflict} other {# conflicts}} first.', {
      unresolved: draft.unresolved.length,
    })
  }
  if (checked.problems.length > 0) {
    return t('Fix the {problems, plural, one {# problem} other {# problems}} first.', {
      problems: checked.problems.length,
    })
  }
  if (checked.check.kind === 'checking') return t('Being checked…')
  if (checked.check.kind === 'unchecked') return t('farmstead-node has not checked it.')
  if (!draft.dirty && !config.draftChanged && config.latestVersion !== null) {
    return t('Nothing has changed since v{latestVersion}.', { latestVersion: config.latestVersion })
  }
  return null
}
