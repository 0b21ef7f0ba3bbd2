// SPDX-License-Identifier: MIT
// The files of the old config: dropped, chosen or pasted; whose they are, where they lie, and with which it begins.

import { Button, FileButton, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ErrorBox } from '../../../components/error-box.tsx'
import { Notice } from '../../../components/notice.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { KnownImports } from '../../../lib/api-types.ts'
import { formatCount } from '../../../lib/format.ts'
import { droppedFiles } from './dropped.ts'
import type { OpenFile } from './file-dialog.tsx'
import { FileList } from './file-list.tsx'
import classes from './import.module.css'
import {
  allEnabled,
  charactersOf,
  enabledOf,
  type ImportInput,
  languageOf,
  settled,
  unlinkedFolders,
  withFiles,
} from './input.ts'
import { type FoundFile, readFiles } from './reading.ts'
import { useFileDrop } from './use-file-drop.ts'

type Props = {
  known: KnownImports
  input: ImportInput
  /** What they become is below. */
  isRead: boolean
  isKept: boolean
  onChange: (input: ImportInput) => void
  onOpen: (file: OpenFile) => void
}

export function FilesPanel({ known, input, isRead, isKept, onChange, onOpen }: Props) {
  const { take, isReading, failure } = useReading(known, (read) =>
    onChange(withFiles(input, read.files, read.leftOut)),
  )
  const { language, folder } = settled(input, known)
  const drop = useFileDrop(({ items }) => take(droppedFiles(items)))
  const handleChosen = (files: File[]) =>
    take(files.map((file) => ({ name: file.webkitRelativePath || file.name, file })))
  return (
    <section className={`panel ${classes.files}`} aria-labelledby="import-files" {...drop}>
      <div className="panel-head">
        <h2 id="import-files">{t('The old config')}</h2>
      </div>
      <div className="panel-body stack">
        <div className={classes.fields}>
          <NativeSelect
            label={t('Server')}
            description={t('Whose config it is')}
            data={known.languages.map(({ language: value, title }) => ({ value, label: title }))}
            value={language.language}
            onChange={({ currentTarget: { value } }) => {
              const chosen = known.languages.find((one) => one.language === value)
              if (chosen) onChange({ ...input, language: chosen.language })
            }}
          />
          <TextInput
            label={t('Folder')}
            description={t(
              'Where its files lie on that server: what it includes is looked for by whole paths',
            )}
            value={folder}
            onChange={({ currentTarget: { value } }) => onChange({ ...input, folder: value })}
            maxLength={500}
            spellCheck={false}
            autoComplete="off"
          />
        </div>
        <div className={classes.drop}>
          <p>
            <T text="<strong>Drop its folder or files here</strong>, or" strong={<strong />} />
          </p>
          <div className="row">
            {/* The kit's type knows no folders; every browser does. */}
            <FileButton multiple onChange={handleChosen} inputProps={FOLDER}>
              {(props) => (
                <Button {...props} variant="default" loading={isReading}>
                  {t('Choose a folder')}
                </Button>
              )}
            </FileButton>
            <FileButton multiple onChange={handleChosen} inputProps={FILES}>
              {(props) => (
                <Button {...props} variant="default" disabled={isReading}>
                  {t('Choose files')}
                </Button>
              )}
            </FileButton>
            <Button
              variant="default"
              onClick={() => onOpen({ name: language.mainFiles[0] ?? '', text: '' })}
            >
              {t('Paste a file')}
            </Button>
          </div>
          <p className="dim">
            {t(
              'At most {mostFiles} files with {mostCharacters} characters together. Keys, certificates and password files stay on this computer, and the control plane keeps nothing of the rest.',
              {
                mostFiles: formatCount(known.mostFiles),
                mostCharacters: formatCount(known.mostCharacters),
              },
            )}
          </p>
        </div>
        {failure !== null && <ErrorBox what={t('These files were not taken')} error={failure} />}
        <Hints known={known} input={input} isKept={isKept} onChange={onChange} />
        {input.files.length > 0 && (
          <details open={!isRead}>
            <summary>
              <span role="status">
                {t(
                  '{files, plural, one {# file} other {# files}} with {characters, plural, one {# character} other {# characters}}',
                  { files: input.files.length, characters: charactersOf(input.files) },
                )}
              </span>
            </summary>
            <FileList known={known} input={input} onChange={onChange} onOpen={onOpen} />
          </details>
        )}
        <LeftOutFiles leftOut={input.leftOut} />
      </div>
    </section>
  )
}

const FOLDER = { 'aria-label': t('Folder of the config'), webkitdirectory: '' } as const
const FILES = { 'aria-label': t('Files of the config') } as const

type Read = Awaited<ReturnType<typeof readFiles>>

/** One lot of files after the other, however long they take. */
function useReading(known: KnownImports, onRead: (read: Read) => void) {
  const [isReading, setReading] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const take = async (found: FoundFile[] | Promise<FoundFile[]>) => {
    setReading(true)
    setFailure(null)
    try {
      onRead(await readFiles(await found, known))
    } catch (error) {
      setFailure(error)
    }
    setReading(false)
  }
  return { isReading, failure, take: (found: Parameters<typeof take>[0]) => void take(found) }
}

type HintsProps = Pick<Props, 'known' | 'input' | 'isKept' | 'onChange'>

function Hints({ known, input, isKept, onChange }: HintsProps) {
  const { language } = settled(input, known)
  const likely = languageOf(
    input.files.map(({ name }) => name),
    known,
  )
  return (
    <>
      {likely !== null && likely.language !== language.language && (
        <Notice
          tone="warn"
          live
          title={t('These look like files of {title}', { title: likely.title })}
        >
          {t('{mainFiles} is what its config begins with. Choose {title} as the server if it is.', {
            mainFiles: likely.mainFiles.join(t(' or ')),
            title: likely.title,
          })}
        </Notice>
      )}
      {unlinkedFolders(input.files).map((folder) => (
        <Notice
          key={folder}
          tone="warn"
          live
          title={t('No file of {enabled} came with them', { enabled: enabledOf(folder) })}
          action={
            <Button variant="default" size="xs" onClick={() => onChange(allEnabled(input, folder))}>
              {t('Use all of {folder}', { folder })}
            </Button>
          }
        >
          {t(
            'Browsers leave out links, which that folder is usually made of. Use the files of {folder} in their place, and remove those that are not in use.',
            { folder },
          )}
        </Notice>
      ))}
      {!isKept && (
        <Notice tone="warn" live title={t('This browser has no room to keep these files')}>
          {t('A reload of this page loses them here; on your disk they stay.')}
        </Notice>
      )}
    </>
  )
}

const SHOWN = 50

function LeftOutFiles({ leftOut }: Pick<ImportInput, 'leftOut'>) {
  if (leftOut.length === 0) return null
  const more = leftOut.length - SHOWN
  return (
    <details>
      <summary>
        {t(
          '{leftOut, plural, one {# file} other {# files}} left out, which stay on this computer',
          { leftOut: leftOut.length },
        )}
      </summary>
      <ul className={`bullets ${classes.leftOut}`}>
        {leftOut.slice(0, SHOWN).map(({ name, why }) => (
          <li key={name}>
            <code>{name}</code> <span className="dim">{why}</span>
          </li>
        ))}
        {more > 0 && <li>{t('and {more} more', { more: formatCount(more) })}</li>}
      </ul>
    </details>
  )
}
