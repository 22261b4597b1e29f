// Fails if a decision note does not have the form in docs/decisions/README.md, or if a reference does not point to a note.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

const FOLDER = 'docs/decisions'
const MAX_NOTES = 45
const MAX_WORDS = 400
const PARTS = ['Context', 'Decision', 'Alternatives', 'Consequences']
const SOURCES = ['*.ts', 'scripts/**/*.ts', 'packages/*/{src,scripts}/**/*.ts', 'apps/*/src/**/*.ts']
/** Other files that can refer to a note. */
const OTHERS = ['*.md', '.changeset/*.md', 'docs/**/*.md', 'packages/*/*.md', 'packages/*/test/**/*.ts']
const REFERENCE = /\bdecisions\/(\d{4})(-[\w.-]+\.md)?/g
/** A link from a note or the index to another note. */
const LINK = /\]\((\d{4})(-[\w.-]+\.md)\)/g

const index = readFileSync(`${FOLDER}/README.md`, 'utf8')
const names = new Map(globSync(`${FOLDER}/[0-9]*.md`).map((path) => [basename(path).slice(0, 4), basename(path)]))
const cited = new Set<string>()
const problems: string[] = []

for (const path of globSync(SOURCES)) {
  for (const number of checkReferences(path, REFERENCE)) if (!path.endsWith('.test.ts')) cited.add(number)
}
for (const path of globSync(OTHERS)) checkReferences(path, REFERENCE)
for (const path of globSync(`${FOLDER}/*.md`)) checkReferences(path, LINK)
for (const [number, name] of names) checkNote(number, name)
if (names.size > MAX_NOTES) {
  problems.push(`${FOLDER}: ${names.size} notes. Merge or delete some: there are at most ${MAX_NOTES}.`)
}

for (const problem of problems.toSorted()) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

function checkNote(number: string, name: string): void {
  const path = `${FOLDER}/${name}`
  const text = readFileSync(path, 'utf8')
  const title = /^# (\d{4}): (.+)\n/.exec(text)
  const expected = title === null ? undefined : `${title[1]}-${slugOf(title[2] ?? '')}.md`
  if (expected === undefined) problems.push(`${path}: no title. Begin with "# ${number}: <verb and object>".`)
  else if (expected !== name)
    problems.push(`${path}: the title does not match the name. Rename the file to ${expected}.`)
  else if (!index.includes(`[${number}: ${title?.[2]}](${name})`)) {
    problems.push(`${path}: not in the index. Add it with its title to ${FOLDER}/README.md.`)
  }
  const parts = Array.from(text.matchAll(/^## (.+)$/gm), ([, heading]) => heading)
  if (parts.join() !== PARTS.join()) {
    problems.push(`${path}: the parts are ${parts.join(', ') || 'missing'}. Use ${PARTS.join(', ')}, in this order.`)
  }
  const words = wordsIn(text)
  if (words > MAX_WORDS) problems.push(`${path}: ${words} words. Shorten it: a note has at most ${MAX_WORDS}.`)
  if (!cited.has(number)) {
    problems.push(`${path}: no source cites it. Add "// docs/decisions/${number}" to the code that it governs.`)
  }
}

/** Returns the numbers to which a file refers, and reports those without a note. */
function checkReferences(path: string, pattern: RegExp): string[] {
  const numbers: string[] = []
  for (const [reference, number = '', rest] of readFileSync(path, 'utf8').matchAll(pattern)) {
    const name = names.get(number)
    numbers.push(number)
    if (name === undefined || (rest !== undefined && number + rest !== name)) {
      problems.push(`${path}: ${reference} is not a note. Use ${name ?? 'a number in docs/decisions/README.md'}.`)
    }
  }
  return numbers
}

/** @example slugOf('Treat FIN before the response as a disconnect') // 'treat-fin-before-the-response-as-a-disconnect' */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('-')
}

/** Counts everything that contains a letter or digit, including tables. */
function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
