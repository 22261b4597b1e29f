import { VERBS } from './verbs.ts'

const MAX_SUBJECT = 72
const MAX_LINE = 100
/** Areas in lower case, then the description: `http1, http3: reject a second Host field`. */
const SUBJECT = /^[a-z0-9@*][a-z0-9@*/.+-]*(?:, [a-z0-9@*/.+-]+)*: (\S+)/
/** Third person, past tense or participle: `adds`, `added`, `adding`. */
const NOT_IMPERATIVE = /(?:[^su]s|ed|ing)$/

/**
 * Returns the problems of a commit subject, which must be `area: imperative`, without a period, in at most 72 characters.
 *
 * @example problemsOfSubject('http1: rejects a second Host field') // ['"rejects" is not an imperative. …']
 */
export function problemsOfSubject(subject: string): string[] {
  const problems: string[] = []
  if (subject.length > MAX_SUBJECT) {
    problems.push(
      `the subject has ${subject.length} characters. Shorten it to ${MAX_SUBJECT}, and move reasons to the body.`,
    )
  }
  if (subject.endsWith('.')) problems.push('the subject ends with a period. Remove it.')
  const verb = SUBJECT.exec(subject)?.[1]
  if (verb === undefined) problems.push('the subject has no area. Write "area: imperative", the area in lower case.')
  else if (!isImperative(verb))
    problems.push(`"${verb}" is not an imperative. Write what the commit does: "add", "fix".`)
  return problems
}

/** Returns the problems of a commit message: its subject, the line after it, and body lines longer than 100 characters. */
export function problemsOfMessage(message: string): string[] {
  const [subject = '', blank = '', ...body] = message.split('\n')
  const problems = problemsOfSubject(subject)
  if (blank !== '') problems.push('the second line is not empty. Separate the subject from the body.')
  for (const line of body) {
    // A URL cannot be broken.
    if (line.length > MAX_LINE && line.includes(' ')) {
      problems.push(
        `a line of the body has ${line.length} characters. Break it after at most ${MAX_LINE}: "${line.slice(0, 40)}…"`,
      )
    }
  }
  return problems
}

function isImperative(verb: string): boolean {
  return VERBS.has(verb) || (/^[a-z]/.test(verb) && !NOT_IMPERATIVE.test(verb))
}
