import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';

export function ResendDialog({
  what,
  warning,
  onClose,
  onConfirm,
}: {
  /** A channel, or a number of messages. */
  what: string;
  warning: string;
  onClose: () => void;
  onConfirm: () => void;
}) {
  return (
    <Dialog title={`Resend ${what}`} onClose={onClose}>
      <p>{warning}</p>
      <div className="dialog-foot">
        <Button look="main-action" onClick={onConfirm}>
          Resend anyway
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
