import type { MessageLane } from '../../api/requests';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';

export type Warned = { lane: MessageLane; text: string };

export function ResendDialog({
  warned,
  onClose,
  onConfirm,
}: {
  warned: Warned;
  onClose: () => void;
  onConfirm: () => void;
}) {
  return (
    <Dialog title={`Resend ${warned.lane.channel}`} onClose={onClose}>
      <p>{warned.text}</p>
      <div className="dialog-foot">
        <Button look="main-action" onClick={onConfirm}>
          Resend, may duplicate
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </div>
    </Dialog>
  );
}
