/**
 * Verbs that can begin a test title, in the third person, or a commit subject, in the imperative. If the lint step rejects a
 * valid verb, add it in American spelling.
 */
export const VERBS: ReadonlySet<string> = new Set(
  `
    abort accept accumulate acknowledge add adjust admit adopt advance advertise affect align allocate allow alternate
    amend anchor announce answer appear append apply archive arrange arrive ask assert assign assume attach attack
    attempt audit authenticate avoid await back backport balance batch beat become begin behave belong benchmark bind
    block boot bound break bring bubble buffer build bump bundle bypass cache calculate call cancel cap capture carry
    cast catch cause cease centralize chain change chart check choose cite claim clamp clarify classify clean clear
    clone close coalesce coerce collapse collect color combine come comment commit compare compile complete compose
    compress compute concatenate condense configure confirm conform confuse connect consist consolidate constrain
    consult consume contain continue convert copy correct correspond cost count cover crash create cross cut deal
    debounce declare decode decouple decrease dedupe deduplicate default defer define delay delegate delete delimit
    deliver demonstrate deny depend deprecate derive describe destroy detach detect determine differ disable disallow
    discard disclose disconnect dispatch display distinguish distribute diverge divide do document double downgrade
    download draft drain draw drift drive drop dump duplicate echo edit elapse elide eliminate embed emit emulate
    enable encode encrypt end enforce enlarge enqueue ensure enter equal escalate escape estimate evaluate evict exceed
    exchange exclude execute exempt exercise exhaust exist exit expand expect expire explain export expose express
    extend extract fail feed fetch fill filter find finish fire fit fix flag flatten flush fold follow forbid force
    forget fork format forward frame free freeze fuzz gate gather generate get give go grant greet group grow guarantee guard
    halve hand handle hang happen harden hash hide hit hoist hold honor host identify ignore illustrate implement imply
    import impose improve include increase increment index indicate infer inform inherit inhibit initialize inject
    inline insert inspect install instrument integrate intercept interleave interpret interrupt introduce invalidate
    invert invoke involve isolate iterate join judge keep kill label lag land launch lead leak leave lengthen let lift
    limit link lint list listen load localise locate lock log look loop loosen lose lower make manage map mark mask
    match mean measure meet mention merge migrate minify minimize mirror miss mix mock model modernize modify monitor
    mount move multiply mutate name narrow need negotiate nest normalize note notice notify number obey observe obtain
    occupy occur offer omit open optimize order organize outline outlive output outrank overlap override overwrite own
    pack pad paint parallelize parse participate pass patch pause pay peek perform permit persist pick pin pipe
    pipeline place plot point poll pool populate port possess post postpone prebuild precede precompute prefer prefix
    prepare prepend present preserve press presume prevent print prioritize process produce profile prohibit promise
    promote propagate protect prove provide prune publish pull push put query queue quit quote raise randomize rank
    rate reach reactivate read rebuild recalculate receive recognize recommend reconnect record recover recreate
    recycle redact redefine redirect redo reduce refactor refer refine refresh refuse regard regenerate register reject
    relate relax relay release reload rely remain remap remember remove rename render reopen reorder repair repeat
    rephrase replace replay reply report represent request require rerun resemble resend reserve reset reshape resize
    resolve respect respond restart restore restrict restructure resubmit resume retain rethrow retire retry return
    reuse reveal revert review revise rework rewrite roll rotate round route run sample sanitize satisfy save say scale
    scan schedule scope scroll scrub seal search see seem select send separate serialize serve set settle shadow shape
    shard share shift ship shorten show shrink shut sign signal silence simplify skip sleep slice slim slow smooth
    snapshot sort span spare spawn speak specify speed spell spend split spread stabilize stand stack start state stay stick
    stop store stream strengthen strip structure style submit subscribe substitute subtract suffer suffice suggest sum
    summarize supply support suppress surface surround survive suspend sustain swap switch sync synchronize tag take
    teach tear tell tend terminate test throttle throw tick tidy tie tighten time toggle tolerate total touch trace
    track trade trail transfer transform translate transmit treat trigger trim trip truncate trust try tune turn type
    unblock uncork understand undo unescape unify uninstall unlink unlock unpack unpin unref unregister unsubscribe
    unwrap update upgrade upload use validate vanish vary vendor verify version view visit wait wake walk warm warn
    watch weaken weigh widen win wire withdraw work wrap write yield zero
  `
    .trim()
    .split(/\s+/),
)

/**
 * Returns the third person of a regular verb.
 *
 * @example thirdPersonOf('match') // 'matches'
 */
export function thirdPersonOf(verb: string): string {
  if (/(?:s|x|z|ch|sh|o)$/.test(verb)) return `${verb}es`
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`
}
