import { type ReasonAction, ReasonDialog } from "../reason-dialog.tsx";

type Props = { isPaused: boolean; set: (paused: boolean) => ReasonAction };

export function PauseButton({ isPaused, set }: Props) {
  return isPaused ? (
    <ReasonDialog
      word="Resume…"
      title="Resume this source"
      confirm="Resume"
      className="btn main"
      action={set(false)}
    >
      What was received meanwhile is processed now, oldest first. Paused time does not count against retries.
    </ReasonDialog>
  ) : (
    <ReasonDialog word="Pause…" title="Pause this source" confirm="Pause" action={set(true)}>
      It keeps receiving, and answers its sender as before. Only processing is held, until somebody resumes
      it.
    </ReasonDialog>
  );
}
