#!/usr/bin/env node
/* oxlint-disable no-shadow, unicorn/consistent-function-scoping */
// Finds sentences that a native technical editor would reject. No dependencies.
//
//   prose-check.mjs <paths…>        checks whole files and folders (default: every tracked .ts and .md file)
//   prose-check.mjs --diff <base>   checks lines added since <base>, untracked files, and commit subjects <base>..HEAD
//
//   --commits <base>   checks commit subjects <base>..HEAD as well     --max <n>     prints at most n findings (40)
//   --rule <name>      keeps one rule, or one group such as "term"     --sample <n>  prints n random findings instead
//   --seed <n>         seed of --sample (1)                            --json        prints every finding as JSON
//   --by-package       adds a table of counts by folder                --exit-code   exits 1 when there are findings
//
// In Markdown, <!-- prose-check off --> … <!-- prose-check on --> leaves a passage out. In TypeScript, a comment that
// contains "prose-check-ignore" leaves out itself and the next line.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { problemsOfSubject } from './prose/commit-message.ts'
import { VERBS, thirdPersonOf } from './prose/verbs.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Rules. CODE stands for inline code, which is never searched. `in` limits a rule to kinds of text:
// comment, title (it, test), suite (describe), error, doc (Markdown), heading, commit.

const CODE = '\u00a4'
const PROSE = ['comment', 'title', 'suite', 'error', 'doc', 'commit']

/** [group/name, pattern, advice, kinds]; the advice follows the excerpt in the output. */
const RULES = [
  // One word for each concept.
  ['term/octet', /\boctets?\b(?![-/]stream)/i, 'byte'],
  [
    'term/answer',
    /\b(?:an?|the|its|their|whole|every|each|no|this|that|these|those|one|two|first|last|next|final|late|early|complete|short|long|streamed|prepared|error|earlier|other|another|of|all|such|HTTP|informational|pipelined|large|small|before|behind|after|without|to) answers?\b(?! (?:to|for) (?:the|this|that|your|a) question)(?!(?:ed|ing|able))(?<!that answers?)(?<!which answers?)(?<!to answer)(?<!of which answers?)/i,
    'response',
  ],
  ['term/clear-text', /\b(?:in )?clear text\b/i, 'cleartext (adjective), "without TLS"'],
  ['term/mend', /\bmend(?:s|ed|ing)?\b/i, 'fix'],
  ['term/heed', /\bheed(?:s|ed|ing)?\b/i, 'honor, obey'],
  ['term/throw-away', /\bthr(?:ow|ows|own|ew|owing) (?:(?:it|them|the rest|this|that) )?away\b/i, 'discard'],
  ['term/pass-over', /\bpass(?:es|ed|ing)? over\b/i, 'skip, ignore'],
  ['term/process-time', /\bprocessor time\b/i, 'CPU time'],

  // English that is not idiomatic.
  [
    'idiom/is-no',
    /(?<!\bthere (?:can |may |will |must |should |could |would |might |shall )?)(?<!\bhere )(?<!\bwhere )\b(?:is|are|was|were|be|it's) no (?!longer\b|more than\b|less than\b|more\b|different\b|better\b|worse\b|faster\b|slower\b|larger\b|smaller\b|shorter\b|later\b|earlier\b|need\b|doubt\b|way\b|reason\b|point\b|use\b|match\b|substitute\b|such\b|one\b|good\b|exception\b|accident\b|coincidence\b|greater\b|guarantee\b|room\b|help\b|op\b|cost\b)/i,
    'is not a …; in errors: must be …',
  ],
  ['idiom/none-of', /\b(?:is|are) none of\b|\bif it is none\b|\bthat (?:is|are) none\b/i, 'is not one of; is not a …'],
  ['idiom/none-may', /\bnone of (?:these|them|those|which) may\b/i, 'these must not …'],
  [
    'idiom/nobody',
    /\b(?:nobody|somebody|everybody|anybody)(?:'s)?\b/i,
    'name the actor: no client, the caller, a handler',
  ],
  ['idiom/whoever', /\bwh(?:oever|omever)\b/i, 'the caller that …, any client that …'],
  [
    'idiom/who',
    /(?:^|[;:] |[.!] |, and |, but )who (?!is |are |was |were |owns |runs |does |would |should |can )[^?]*$/i,
    'a client that …, callers that …',
    ['comment', 'doc', 'commit', 'title', 'heading'],
  ],
  [
    'idiom/what-subject',
    /^What (?!to\b|if\b|about\b|we\b|we'll\b|you\b|(?:is left|remains|matters|counts|disappears|changes|follows)\b.* (?:is|are) )[^?]*[^?:]$/,
    'start with a noun or a verb, not with a free relative',
    ['comment', 'doc', 'error'],
  ],
  [
    'idiom/what-object',
    /\b(?:of|with|behind|beside|besides) what (?:is (?!most|best)|was|were|are|has|had|follows?|waits?|came|comes|it|they|others?|goes|arrives?|arrived|cannot|can|does)\b[^?]*$/i,
    'name the thing instead of "what …"',
  ],
  ['idiom/in-place-of', /\bin place of\b/i, 'instead of'],
  ['idiom/anew', /\banew\b/i, 'again, from scratch'],
  [
    'idiom/has-to-do',
    /\bha(?:s|ve|d|ving) (?:nothing |something |much |anything )?to do with\b/i,
    'concerns, is about',
  ],
  ['idiom/all-the-same', /\ball the same\b/i, 'anyway, still'],
  [
    'idiom/told',
    /\b(?:is|are|was|were|be|been|being|gets?) (?:also |not |never |only |once |then |still )?told\b(?! (?:apart|to|not to|whom|which|otherwise))|\btold (?:of|about|once|by|when|where|that it)\b|(?:^|[.;] )Told\b/i,
    'is notified, is reported, is logged',
  ],
  [
    'idiom/tells-of',
    /\b(?:tell|tells|telling) of\b|\btells? (?:by|nothing|the address|its|how|what)\b/i,
    'reports, states, describes',
  ],
  ['idiom/hear-of', /\bhear(?:s|d)? (?:of|from it)\b/i, 'is notified of, detects'],
  [
    'idiom/so-many',
    /(?<!\bnot |\bare |\bis )\bso many\b(?! (?:that|as|so|of)\b)(?!,)|\bso much (?:waits|work|framing|has|of (?:a|the|it)|came|comes|is)\b/i,
    'that many; give the number',
  ],
  ['idiom/for-so-long', /\b(?:for so long|so long ago|so shortly before)\b/i, 'give the duration'],
  [
    'idiom/be-it',
    /\bbe (?:it|they) (?:a|an|the|by|of|in|on|for|from|that|there|none|less|more|as|with)\b|,? \bbe the \w+ \w+ed(?:,| or)/i,
    'whether',
  ],
  ['idiom/beside', /\bbeside\b/i, 'next to, alongside, compared with, in addition to'],
  ['idiom/further-in', /\bfurther (?:in|out)\b(?!-)/i, 'inner, outer'],
  [
    'idiom/stands',
    /\b(?:stands?|stood) (?:still|beside|behind|before|between|there|here|around|at the|in front|after|first|last|on its|on their|by itself|in (?!for\b|line\b|the way\b|front\b))/i,
    'is, comes, is written; "stalls" for processes',
  ],
  ['idiom/lies', /\b(?:lies|lay) (?:in|at|on|below|there|under)\b|\bwhere (?:it|they|one) lies?\b/i, 'is'],
  [
    'idiom/goes-on',
    /(?<!\bwhat(?:'s| is| was) )\b(?:goes|go|went|going) on (?:with|from|behind|growing|sending|reading|writing|after|where|without|to|as|in|until|once|when|being|for|later|by|at)\b|\b(?:goes|went) on[.,;]/i,
    'continues',
  ],
  ['idiom/go-out', /\b(?:go|goes|went|gone) out\b(?! of)/i, 'is sent'],
  ['idiom/at-work', /\bat work\b/i, 'in progress, running'],
  [
    'idiom/makes-of',
    /\bwhat .{1,48}\bma(?:ke|kes|de) of\b|\bmakes? (?:[A-Za-z]+|\u00a4) of (?:it|them|what|a|an|one|something|this|that|each)\b(?<!\b(?:use|sense|most|copies|copy|light|instances) of \w+)/i,
    'the result of; converts … to',
  ],
  [
    'idiom/of-its-own',
    /(?<!\b(?:an?|one|the|no|every|each|this|that) (?:[\w-]+ )?)\b(?:memory|buffers?|contexts?|fields?|turns?|code|HPACK|KiB|MiB|clocks?|places?|packets?|process(?:es)?|limits?|deadlines?|threads?|queues?|sockets?|packages|files|formats?|conditions|types?|names|order) of (?:its|their|our|your) own\b/i,
    'its own …, their own …',
  ],
  [
    'idiom/also-if',
    /(?<!\bbut )\balso (?:if|when|where|while|without|those|behind|after|before|though)\b/i,
    'even if, including',
  ],
  [
    'idiom/is-there',
    /\b(?:that|which|what|who|it|one|body|all) (?:is|are|was|were) (?:already |not |still |not yet |no longer )?there\b(?! (?:a|an|any|no|to|for|are|is|only))/i,
    'exists, has arrived, is available',
  ],
  ['idiom/is-meant', /\b(?:is|are) meant\b(?! (?:to|for|as|by|only)\b)/i, 'must be', ['error']],
  [
    'idiom/it-takes',
    /; (?:it takes|known are|there are|the limits are|an object)\b/i,
    '"must be <type>, got <value>"',
    ['error'],
  ],
  ['idiom/no-reason', /^(?:it is (?:none|no)|it gave|it broke|this is no)\b/i, 'name the subject', ['error']],
  [
    'idiom/passive',
    /\b(?:is|are|was|were|be|been|being) (?:\w+ly |not |never |first |once |still |no longer )?(?:(?:looked|waited|heard|cared|listened|spoken) (?:for|at|of|to|about|on|after)|asked (?:for|of|about))\b(?! (?:once|least|most|any time))/i,
    'active voice: requests, checks, waits for',
  ],
  [
    'idiom/is-to-be',
    /(?<!\b(?:goal|purpose|aim|idea|intent|intention|plan|point|way|job|role|task|trick|thing)\b.*)\b(?:is|are|was|were) (?:not )?to be (?!sure\b|fair\b|precise\b|able\b|used\b|a\b|the\b)\w+/i,
    'must be, will be',
  ],
  ['idiom/without-effect', /\bwithout effect\b/i, 'has no effect'],
  [
    'idiom/taken-for',
    /\btaken for (?!granted|a (?:while|moment|ride))|\b(?:takes|take|took) (?:it|them|that|this|one|Redis|[\w-]+ [\w-]+|\u00a4) for (?:gone|one|an?|that|those|the (?:end|next|whole)|dead|true)\b(?! (?:while|moment|second|minute|time|loop))|\btaken to have\b/i,
    'treated as, mistaken for',
  ],
  [
    'idiom/another-than',
    /(?<!\b(?:less|more|fewer|rather|better|faster)\b.*)\b(?:another|other) [a-z]+(?: [a-z]+)? than\b/i,
    'a … other than',
  ],
  [
    'idiom/but-for',
    /(?<!\bnot [^,;]*)\bbut for (?:those|what|that|lines|trailers|(?:the|an?) (?!most part|sake|time being|rest)[\w-]+ (?:of|that|which|to|up)\b)/i,
    'except for',
  ],
  ['idiom/by-chance', /\bby chance\b/i, 'at random'],
  ['idiom/in-common', /\bha(?:s|ve|d) in common\b/i, 'share'],
  ['idiom/sees-to', /\bsees? to (?:it|that|this)\b|\bseen to (?:it|lone|that)\b/i, 'ensures, handles'],
  [
    'idiom/look-noun',
    /(?<!\b(?:tak|hav|had|get|give|want)\w* )\b(?:a|the|each|every|one|slow|new|last|these|those|single|two|no) looks?\b(?!-| (?:like|and feel|up))|\blooks? (?:whether|if)\b/i,
    'check, lookup, stat call',
  ],
  [
    'idiom/as-code',
    /(?:^|[.;:] )As (?:\u00a4|above|in \u00a4|of \u00a4|under \u00a4|that of)/,
    'Like `x`, … / Same as `x`.',
    ['comment'],
  ],
  [
    'idiom/as-of',
    /\bas of (?:\u00a4|the server|such|send|write)|As of (?:the server|\u00a4(?=[.,;]))/,
    'as in `x`, like `x`',
  ],
  [
    'idiom/of-first',
    /^Of (?!course\b|note\b|these,|those,|the \w+,|them,|all \w+,)/,
    'subject first',
    ['comment', 'doc', 'commit', 'title'],
  ],
  [
    'idiom/not-waited',
    /^(?:Not (?:waited|looked|asked|told|written|kept|sent)|(?:Asked|Looked|Waited) )/,
    'start with a third-person verb',
    ['comment'],
  ],
  [
    'idiom/same-fragment',
    /^The same(?:[.,;]| (?:with|for|of|where|in|elsewhere|by|without|and)\b)/,
    'say what; a complete sentence',
    ['comment'],
  ],
  ['idiom/way-of', /\bthe way of (?:a|an|the)\b/i, 'path, life cycle'],
  [
    'idiom/archaic',
    /\bof whom\b|\bwherein\b|\bwhereof\b|\bthereof\b|\blest\b|\bin earnest\b|\btime and again\b|\bup to no good\b|\bworth a thought\b|\btakes? leave of\b|\bin short time\b|\btwice the same\b|\bthe better one of\b|\bof another make\b|\bcomes? to (?:listen|know|stand)\b|\bgets? to know\b|\band its like\b|\bthe wish for\b|\bin the very\b|\bwhat for\b/i,
    'plain modern English',
  ],
  [
    'idiom/so-end',
    /(?<!\b(?:do|does|did|done|doing|if|not|think|say|says|said|even|or|ever|why|is|how|more|quite|and|just|still|stays?|remains?) )\bso(?:;|\.(?:\s|$))/i,
    'this way, thus; or drop it',
  ],
  ['idiom/by-turns', /\b(?:in|by) turns\b(?! of the event loop)/i, 'alternately, round-robin'],
  ['idiom/for-people', /\b(?:for|to) people(?=[;:,.]|$)/i, 'human-readable; for users'],
  ['idiom/comes-by', /\b(?:came|comes?|coming) by (?!itself|default|hand)\b/i, 'arrives through'],
  [
    'idiom/least-of',
    /(?:^|[.;:] )(?:Least|Most) (?:number of |\w+ (?:in|of|at|to|for|once|a|that (?:may|can|are)) )/,
    'Minimum …, Maximum …',
    ['comment'],
  ],
  [
    'idiom/has-participle',
    /\b(?:has|have) (?:others|the requests|the values) (?:told|tried|served|looked|answered|taken)\b/i,
    'active verb with its real subject',
  ],
  ['idiom/goes-before', /\bgo(?:es)? before (?:a|an|the)\b/i, 'takes precedence over'],
  ['idiom/as-far-as', /\bas far as (?:it|they|that) (?:is|are) (?:known|possible)\b/i, 'if known; where possible'],
  [
    'idiom/likes',
    /\b(?:client|server|socket|handler|browser|caller|peer)s? (?:likes?|believes?|thinks?)\b(?! (?:so|this|that))/i,
    'prefers, accepts',
  ],
  ['idiom/meanwhile', /(?<!^)\bmeanwhile(?=[.,;:)]|$)/i, 'in the meantime; or name the event'],
  [
    'idiom/on-the-way',
    /\bon the way\b(?! (?:to|out|back|down|up|in|from|between)\b)/i,
    'in the process, during …; in transit',
  ],
  ['idiom/without-end', /\bwithout end\b/i, 'endlessly, unbounded'],
  ['idiom/give-out', /\bg(?:ive|ives|iven|ave|iving) out\b/i, 'publish, assign, distribute'],
  ['idiom/bring-along', /\bbr(?:ing|ings|ought) (?:\w+ )?along\b/i, 'carry, provide, include'],
  ['idiom/by-itself', /\beach(?: \w+)? (?:for|by) itself\b/i, 'separately, individually'],
  ['idiom/alone-who', /\b(?:those|them) alone (?:who|that)\b/i, 'only those that'],
  ['idiom/mostly', /^Mostly\b/, 'usually', ['comment', 'doc']],
  ['term/for-ever', /\bfor ever\b/i, 'forever, indefinitely'],
  ['term/dear', /\bdear(?:er|est)\b/i, 'more expensive'],
  ['term/quicker', /\bquicker\b/i, 'faster'],
  ['style/percent', /\d[\d.,]* %(?![\w'"])/, 'no space: 18%'],
  [
    'style/dash',
    /[a-z\u00a4)] - [a-z\u00a4]/,
    'a colon, a comma or an em dash, not a spaced hyphen',
    ['comment', 'doc'],
  ],
]

const MAX_WORDS = 28

/** Both noun and verb: a noun before one of these. */
const AMBIGUOUS = new Set(
  'requests answers streams responses limits routes writes reads handlers groups floods resets priorities uploads matches links formats marks locks loans notes needs places turns looks points records logs ranges tags calls names tests values queries signals parts processes addresses channels frames threads times pages heads texts paths rounds proxies keys numbers segments'.split(
    ' ',
  ),
)
const AFTER_NOUN =
  /^(?:that|of|are|were|have|which|whose|who|come|leave|wait|begin|get|do|may|must|can|cannot|received|given|made|taken|inside|outside|is|was|has)$/
const TITLE_VERBS = new Set([...Array.from(VERBS, thirdPersonOf), 'is', 'has', 'can', 'cannot', 'must'])

// ---------------------------------------------------------------------------------------------------------------------
// Text with the line of each of its characters.

class Text {
  constructor(kind, file) {
    this.kind = kind
    this.file = file
    this.chars = ''
    this.starts = [] // [offset, line]
  }
  add(part, line) {
    const clean = part.trim()
    if (clean === '') return this
    if (this.chars !== '') this.chars += ' '
    this.starts.push([this.chars.length, line])
    this.chars += clean
    return this
  }
  lineAt(offset) {
    let line = this.starts[0]?.[1] ?? 1
    for (const [start, at] of this.starts) {
      if (start > offset) break
      line = at
    }
    return line
  }
}

/** Splits at sentence ends. Abbreviations, numbers and lowercase continuations are not sentence ends. */
function sentencesOf(text) {
  const found = []
  let from = 0
  const pattern = /[.!?][)"'”’*_]*(?=\s+["'(“‘*_\u00a4§`[]*[A-Z0-9\u00a4§])|(?<=[a-z]{3})\.(?=\s+[a-z])/g
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length
    if (
      /\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|no|vol|fig|Nos?|St|Dr|Mr)\.$/i.test(text.slice(Math.max(0, end - 8), end))
    )
      continue
    found.push([from, text.slice(from, end)])
    from = end
    while (text[from] === ' ') from++
  }
  found.push([from, text.slice(from)])
  return found.filter(([, sentence]) => /[a-z]/i.test(sentence))
}

/** Hides inline code, links, addresses and tags, and keeps all offsets. */
function mask(text) {
  const blank = (whole, character = CODE) => character + '\u200b'.repeat(Math.max(0, whole.length - 1))
  return text
    .replace(/`[^`]*`/g, (whole) => blank(whole))
    .replace(/\{@link [^}]*\}/g, (whole) => blank(whole))
    .replace(/<[a-z/!][^>]*>/gi, (whole) => ' '.repeat(whole.length))
    .replace(/\]\([^)]*\)/g, (whole) => ' '.repeat(whole.length))
    .replace(/https?:\/\/\S+/g, (whole) => blank(whole))
}

const wordsIn = (sentence) => (sentence.match(/[\p{L}\p{N}\u00a4][\p{L}\p{N}\u200b'’./:_-]*/gu) ?? []).length

// ---------------------------------------------------------------------------------------------------------------------
// TypeScript: comments, titles, error messages.

/** Tokens of a source text. Strings and templates keep their value; code in `${…}` becomes CODE. */
function tokensOf(source) {
  const tokens = []
  const templates = []
  let at = 0
  let line = 1
  let depth = 0
  let previous = null
  const push = (type, value, from, isSignificant = true) => {
    const token = { type, value, line: from }
    tokens.push(token)
    if (isSignificant) previous = token
    return token
  }
  const readTemplate = (begin) => {
    let value = ''
    let i = begin
    for (; i < source.length; i++) {
      const c = source[i]
      if (c === '\\') {
        i++
        value += /[nrt]/.test(source[i] ?? '') ? ' ' : (source[i] ?? '')
        if (source[i] === '\n') line++
      } else if (c === '`') return { value, next: i + 1, isClosed: true }
      else if (c === '$' && source[i + 1] === '{') return { value, next: i + 2, isClosed: false }
      else {
        if (c === '\n') line++
        value += c
      }
    }
    return { value, next: i, isClosed: true }
  }
  while (at < source.length) {
    const c = source[at]
    const next = source[at + 1]
    if (c === '\n') line++
    if (/\s/.test(c)) at++
    else if (c === '/' && next === '/') {
      const end = source.indexOf('\n', at)
      const stop = end < 0 ? source.length : end
      push('line', source.slice(at + 2, stop), line, false)
      at = stop
    } else if (c === '/' && next === '*') {
      const end = source.indexOf('*/', at + 2)
      const stop = end < 0 ? source.length : end + 2
      const value = source.slice(at, stop)
      push('block', value, line, false)
      line += value.split('\n').length - 1
      at = stop
    } else if (c === '"' || c === "'") {
      let i = at + 1
      let value = ''
      for (; i < source.length && source[i] !== c && source[i] !== '\n'; i++) {
        if (source[i] !== '\\') value += source[i]
        else if (/[nrt]/.test(source[++i] ?? '')) value += ' '
        else if (source[i] === '\n') line++
        else value += source[i] ?? ''
      }
      push('string', value, line)
      at = i + 1
    } else if (c === '`') {
      const token = push('string', '', line)
      const { value, next: after, isClosed } = readTemplate(at + 1)
      token.value = value
      at = after
      if (!isClosed) {
        templates.push({ token, depth, mark: tokens.length })
        depth = 0
        previous = { type: 'punctuator', value: '{' }
      }
    } else if (c === '}' && depth === 0 && templates.length > 0) {
      const top = templates.at(-1)
      const { value, next: after, isClosed } = readTemplate(at + 1)
      top.token.value += CODE + value
      tokens.length = top.mark
      at = after
      if (isClosed) {
        templates.pop()
        depth = top.depth
        previous = top.token
      } else previous = { type: 'punctuator', value: '{' }
    } else if (c === '/' && isRegexAfter(previous)) {
      let isInClass = false
      let i = at + 1
      for (; i < source.length && source[i] !== '\n'; i++) {
        if (source[i] === '\\') i++
        else if (source[i] === '[') isInClass = true
        else if (source[i] === ']') isInClass = false
        else if (source[i] === '/' && !isInClass) break
      }
      push('regex', '', line)
      at = i + 1
    } else {
      const word = /[\w$]+/y
      word.lastIndex = at
      const match = word.exec(source)
      if (match !== null) push('word', match[0], line)
      else {
        if (c === '{') depth++
        if (c === '}') depth--
        push('punctuator', c, line)
      }
      at += match?.[0].length ?? 1
    }
  }
  return tokens
}

function isRegexAfter(token) {
  if (token === null) return true
  if (token.type === 'punctuator') return !/[)\]}]/.test(token.value)
  return (
    token.type === 'word' &&
    /^(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/.test(token.value)
  )
}

const DIRECTIVE =
  /^\s*(?:@ts-|eslint|oxlint|prettier|#region|#endregion|v8 ignore|c8 ignore|istanbul|biome|<reference|@vitest)/

function textsOfScript(file, source) {
  const tokens = tokensOf(source)
  const texts = []
  const ignored = new Set()
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]
    if (token.type === 'line') {
      const text = new Text('comment', file)
      let last = token.line
      for (let k = i; k < tokens.length && tokens[k].type === 'line' && tokens[k].line <= last + 1; k++) {
        if (tokens[k].value.includes('prose-check-ignore')) for (const n of [0, 1]) ignored.add(tokens[k].line + n)
        if (!DIRECTIVE.test(tokens[k].value)) text.add(tokens[k].value, tokens[k].line)
        last = tokens[k].line
        i = k
      }
      if (!looksLikeCode(text.chars)) texts.push(text)
    } else if (token.type === 'block') texts.push(...textsOfBlock(file, token))
    else if (token.type === 'string') {
      const kind = kindOfString(tokens, i)
      if (kind === undefined) continue
      const text = new Text(kind, file).add(token.value, token.line)
      // A message that is concatenated with `+`.
      while (kind === 'error' && tokens[i + 1]?.value === '+' && tokens[i + 2]?.type === 'string') {
        i += 2
        text.add(tokens[i].value, tokens[i].line)
      }
      texts.push(text)
    }
  }
  return texts.filter((text) => text.starts.length > 0 && !ignored.has(text.starts[0][1]))
}

const looksLikeCode = (text) => /[;{}]\s*$|^(?:const|let|import|export|return|await|if \()|=> \{?$/.test(text)

function textsOfBlock(file, { value, line }) {
  const texts = []
  let text = new Text('comment', file)
  let isSkipped = false
  const flush = () => {
    if (text.chars !== '') texts.push(text)
    text = new Text('comment', file)
  }
  value
    .replace(/^\/\*+/, '')
    .replace(/\*+\/$/, '')
    .split('\n')
    .forEach((raw, n) => {
      const part = raw.replace(/^\s*\* ?/, '').trim()
      if (part.startsWith('```')) isSkipped = !isSkipped
      // A tag can follow on the line of the previous sentence.
      for (const piece of part.split(/(?=(?:^|\s)@[a-z]+\b)/i)) {
        const tag = /^\s*@([a-z]+)\s*(\{[^}]*\})?\s*/i.exec(piece)
        let body = piece
        if (tag !== null) {
          flush()
          isSkipped = /^(?:example|see|internal|link|type|typedef|license|vitest)$/i.test(tag[1])
          body = piece.slice(tag[0].length)
          if (/^param|^property|^template/i.test(tag[1])) body = body.replace(/^\S+\s*-?\s*/, '')
        }
        if (piece.trim() === '') flush()
        else if (!isSkipped && !piece.startsWith('```')) text.add(body, line + n)
      }
    })
  flush()
  return texts
}

/** Whether a string is a title or the message of an error, by the tokens before it. */
function kindOfString(tokens, i) {
  if (tokens[i - 1]?.value !== '(') return undefined
  const callee = tokens[i - 2]
  if (callee?.type === 'word') {
    if (/^(?:it|test)$/.test(callee.value) && tokens[i - 3]?.value !== '.') return 'title'
    if (callee.value === 'describe' && tokens[i - 3]?.value !== '.') return 'suite'
    if (callee.value.endsWith('Error') && tokens[i - 3]?.value === 'new') return 'error'
    if (/^(?:only|skip|fails|concurrent|sequential)$/.test(callee.value)) return titleOf(tokens[i - 4])
    return undefined
  }
  if (callee?.value !== ')') return undefined
  let depth = 0
  for (let k = i - 2; k >= 0; k--) {
    if (tokens[k].type === 'punctuator' && tokens[k].value === ')') depth++
    if (tokens[k].type === 'punctuator' && tokens[k].value === '(' && --depth === 0)
      return /^(?:each|for|runIf|skipIf)$/.test(tokens[k - 1]?.value ?? '') ? titleOf(tokens[k - 3]) : undefined
  }
  return undefined
}

function titleOf(token) {
  if (token?.value === 'describe') return 'suite'
  return token?.value === 'it' || token?.value === 'test' ? 'title' : undefined
}

// ---------------------------------------------------------------------------------------------------------------------
// Markdown: paragraphs, list items, table cells; no code, no front matter.

function textsOfMarkdown(file, source) {
  const texts = []
  let text = new Text('doc', file)
  let fence = ''
  let isOff = false
  const flush = () => {
    if (text.chars !== '') texts.push(text)
    text = new Text('doc', file)
  }
  const lines = source.split('\n')
  let first = 0
  if (lines[0] === '---') first = lines.indexOf('---', 1) + 1
  for (let n = first; n < lines.length; n++) {
    const raw = lines[n]
    const mark = /^\s*(?:[-*>]\s+)*(`{3,}|~{3,})/.exec(raw)?.[1]
    if (fence !== '') {
      if (mark !== undefined && mark.startsWith(fence)) fence = ''
      continue
    }
    if (mark !== undefined) {
      flush()
      fence = mark
      continue
    }
    if (raw.includes('prose-check off')) isOff = true
    if (raw.includes('prose-check on')) isOff = false
    if (isOff) continue
    if (/^\s*$/.test(raw) || /^\s*<!--/.test(raw)) flush()
    else if (/^#{1,6}\s/.test(raw)) {
      flush()
      texts.push(new Text('heading', file).add(raw.replace(/^#+\s*/, ''), n + 1))
    } else if (/^\s*\|/.test(raw)) {
      flush()
      if (/^\s*\|[\s:|-]+\|\s*$/.test(raw)) continue
      const isHead = /^\s*\|[\s:|-]+\|\s*$/.test(lines[n + 1] ?? '')
      for (const cell of raw.replace(/\\\|/g, ' ').split('|'))
        if (!isHead && cell.trim() !== '') texts.push(new Text('doc', file).add(cell, n + 1))
    } else {
      const item = /^\s*(?:[-*+]|\d+[.)])\s+/.exec(raw)
      if (item !== null) flush()
      text.add(raw.slice(item?.[0].length ?? 0).replace(/^\s*>\s?/, ''), n + 1)
    }
  }
  flush()
  return texts
}

// ---------------------------------------------------------------------------------------------------------------------
// Checks.

function check(text) {
  const findings = []
  const masked = mask(text.chars)
  const add = (rule, advice, offset, length, sentence, end = offset) =>
    findings.push({
      file: text.file,
      line: text.lineAt(offset),
      lastLine: text.lineAt(end),
      kind: text.kind,
      rule,
      advice,
      match: text.chars.slice(offset, offset + length).trim(),
      sentence,
    })
  const all = text.kind === 'title' || text.kind === 'suite' ? [[0, masked]] : sentencesOf(masked)
  for (const [from, sentence] of all) {
    const plain = text.chars.slice(from, from + sentence.length)
    const searched = sentence.replace(/\u200b/g, '')
    for (const [rule, pattern, advice, kinds = PROSE] of RULES) {
      if (!kinds.includes(text.kind)) continue
      const hit = pattern.exec(searched)
      if (hit === null) continue
      const offset = from + offsetOf(sentence, hit.index)
      add(rule, advice, offset, hit[0].length > 40 ? 24 : hit[0].length, plain)
    }
    const words = wordsIn(sentence)
    if (words > MAX_WORDS && text.kind !== 'heading' && text.kind !== 'commit')
      add('long/sentence', `${words} words; split it`, from, 0, plain, from + sentence.length - 1)
  }
  if (text.kind === 'title') {
    const problem = problemOfTitle(text.chars)
    if (problem !== undefined) add('title/verb', problem, 0, 0, text.chars)
  }
  if (text.kind === 'commit')
    for (const problem of problemsOfSubject(text.chars)) add('commit/subject', problem, 0, 0, text.chars)
  return findings
}

/** Returns the position in a masked sentence of the character that has index `index` without the fillers. */
function offsetOf(sentence, index) {
  let seen = 0
  for (let i = 0; i < sentence.length; i++) {
    if (sentence[i] === '\u200b') continue
    if (seen++ === index) return i
  }
  return 0
}

function problemOfTitle(title) {
  const [first = '', second = ''] = title.split(/,?\s+/)
  // The test's table supplies the verb.
  if (first === '%s') return undefined
  const isVerb = TITLE_VERBS.has(first) && !(AMBIGUOUS.has(first) && AFTER_NOUN.test(second))
  return isVerb ? undefined : 'start with a verb of scripts/prose/verbs.ts in the third person: "rejects …"'
}

// ---------------------------------------------------------------------------------------------------------------------
// Files, diffs, commits, output.

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] })
const isChecked = (file) =>
  /\.(?:[cm]?tsx?|md)$/.test(file) && !/\.d\.ts$|(?:^|\/)(?:node_modules|dist|\.git)\//.test(file)

function textsOf(file) {
  let source
  try {
    source = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  return file.endsWith('.md') ? textsOfMarkdown(file, source) : textsOfScript(file, source)
}

function filesIn(path) {
  if (!existsSync(path)) throw new Error(`prose-check: no such file or folder: ${path}`)
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !/^(?:node_modules|dist|\.git|\.turbo)$/.test(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]))
    .filter(isChecked)
}

/** Added lines by file since `base`; `null` stands for every line of an untracked file. */
function addedSince(base) {
  const added = new Map()
  let lines = null
  for (const row of git('diff', '-U0', '--no-color', '--no-ext-diff', '--diff-filter=d', '--no-prefix', base).split(
    '\n',
  )) {
    if (row.startsWith('+++ ')) {
      lines = new Set()
      added.set(row.slice(4).replace(/\t$/, ''), lines)
    } else if (row.startsWith('@@')) {
      const [, start, count = '1'] = /\+(\d+)(?:,(\d+))?/.exec(row) ?? []
      for (let n = 0; n < Number(count); n++) lines?.add(Number(start) + n)
    }
  }
  for (const file of git('ls-files', '--others', '--exclude-standard').split('\n'))
    if (file !== '') added.set(file, null)
  return added
}

const commitTexts = (base) =>
  git('log', '--no-merges', '--format=%h %s', `${base}..HEAD`)
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => {
      const at = row.indexOf(' ')
      return new Text('commit', `commit ${row.slice(0, at)}`).add(row.slice(at + 1), 0)
    })

function run(args) {
  const values = { max: '40', seed: '1' }
  const flags = new Set()
  const paths = []
  for (let i = 0; i < args.length; i++) {
    const name = args[i].replace(/^--/, '')
    if (!args[i].startsWith('--')) paths.push(args[i])
    else if (/^(?:diff|commits|max|rule|sample|seed)$/.test(name)) values[name] = args[++i]
    else if (/^(?:json|by-package|exit-code|help)$/.test(name)) flags.add(name)
    else throw new Error(`prose-check: unknown option ${args[i]}`)
  }
  if (flags.has('help'))
    return console.log('prose-check.mjs [--diff <base>] [--commits <base>] [--rule r] [--max n] [paths…]')
  let texts = []
  let isKept = () => true
  if (values.diff !== undefined) {
    process.chdir(git('rev-parse', '--show-toplevel').trim())
    const added = addedSince(values.diff)
    texts = [...added.keys()].filter(isChecked).flatMap(textsOf)
    isKept = ({ file, line, lastLine, kind }) => {
      const lines = added.get(file)
      if (kind === 'commit' || lines === null) return true
      for (let n = line; n <= lastLine; n++) if (lines?.has(n)) return true
      return false
    }
  } else {
    const files = paths.length > 0 ? paths.flatMap(filesIn) : git('ls-files').split('\n').filter(isChecked)
    texts = [...new Set(files)].flatMap(textsOf)
  }
  const base = values.diff ?? values.commits
  if (base !== undefined) texts.push(...commitTexts(base))
  const findings = texts
    .flatMap(check)
    .filter(isKept)
    .filter(({ rule }) => values.rule === undefined || rule === values.rule || rule.startsWith(`${values.rule}/`))
  if (flags.has('json')) return console.log(JSON.stringify(findings))
  const shown =
    values.sample === undefined
      ? findings.slice(0, Number(values.max))
      : sampleOf(findings, Number(values.sample), Number(values.seed))
  for (const { file, line, rule, match, advice, sentence } of shown) {
    const place = file.startsWith('commit ') ? file : `${relative('.', file)}:${line}`
    console.log(`${place}: ${rule}${match === '' ? '' : ` "${match}"`} -> ${advice}: ${excerpt(sentence, match)}`)
  }
  summarise(findings, shown.length, texts.length, flags.has('by-package'))
  if (flags.has('exit-code') && findings.length > 0) process.exitCode = 1
}

/** Returns the sentence, or the part of a long sentence around the match. */
function excerpt(text, match) {
  const sentence = text.replaceAll(CODE, '${…}')
  if (sentence.length <= 220) return sentence
  const at = Math.max(0, sentence.indexOf(match) - 80)
  return `${at > 0 ? '… ' : ''}${sentence.slice(at, at + 210)} …`
}

function sampleOf(findings, count, seed) {
  let state = seed >>> 0 || 1
  const random = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const rest = [...findings]
  return Array.from(
    { length: Math.min(count, rest.length) },
    () => rest.splice(Math.floor(random() * rest.length), 1)[0],
  )
}

const tally = (items) =>
  [...items.reduce((map, item) => map.set(item, (map.get(item) ?? 0) + 1), new Map())].sort((a, b) => b[1] - a[1])

function summarise(findings, shown, texts, byPackage) {
  console.log(
    `\n${findings.length} findings in ${texts} texts${shown < findings.length ? ` (${shown} shown; --max ${findings.length} for all)` : ''}`,
  )
  for (const [rule, count] of tally(findings.map(({ rule }) => rule)))
    console.log(`${String(count).padStart(6)}  ${rule}`)
  if (!byPackage) return
  const packageOf = ({ file }) =>
    file.startsWith('commit ')
      ? 'commits'
      : (/(?:^|\/)((?:packages|apps|docs)\/[^/]+)\//.exec(file)?.[1] ??
        (/(?:^|\/)docs\//.test(file) ? 'docs' : '(root)'))
  console.log('\nby package')
  for (const [name, count] of tally(findings.map(packageOf))) console.log(`${String(count).padStart(6)}  ${name}`)
}

try {
  run(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
