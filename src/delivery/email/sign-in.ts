import { newId } from '#src/core/ids.ts';
import type { Mail } from './compose.ts';
import type { Mailer } from './send.ts';

/** Content of a sign-in mail. Pure. */
export function composeSignIn({
  link,
  code,
  validMinutes,
}: {
  link: string;
  code: string;
  validMinutes: number;
}): Mail {
  const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
  const end = `Both work once, for ${validMinutes} minutes, unless a newer mail is asked for in the same browser. If you did not ask for this, do nothing: nobody gets in without this mail.`;
  return {
    subject: `Sign in: ${shown}`,
    text: `Follow this link to sign in to your energy dashboard:\n\n${link}\n\nOr type this code where you asked for it: ${shown}\n\n${end}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5"><p><a href="${link}">Sign in to your energy dashboard</a></p><p>Or type this code where you asked for it: <b style="font-size:20px">${shown}</b></p><p style="color:#57606a">${end}</p></body></html>`,
  };
}

/** Sends it; rejects where the mail server does not take it. */
export async function sendSignIn(
  mailer: Mailer,
  { publicUrl, from }: { publicUrl: string; from: string | undefined },
  to: { userId: string; email: string },
  mail: Mail,
): Promise<void> {
  const host = new URL(publicUrl).hostname;
  await mailer.send({
    messageId: `<${newId('sgn')}@${host}>`,
    from: `Energy usage service <${from ?? `energy@${host}`}>`,
    userId: to.userId,
    to: to.email,
    ...mail,
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
}
