import type { RequestContext } from '../context/context.ts'
import { problemDocument, type Problem } from '../response/problem.ts'

/** Prepares an error answer in place of what was prepared. Fields that do not describe the old body stay. */
export function prepareProblem(context: RequestContext, problem: Problem): void {
  const { prepared } = context
  prepared.abandonBody()
  const { contentType, body } = problemDocument(problem, context.headers.get('accept'))
  prepared.set(body, contentType, { status: problem.status, ...(problem.headers ? { headers: problem.headers } : {}) })
  const vary = prepared.headers.get('vary')
  if (vary === null || !/(?:^|,)\s*(?:accept|\*)\s*(?:,|$)/i.test(vary)) prepared.headers.append('vary', 'accept')
}
