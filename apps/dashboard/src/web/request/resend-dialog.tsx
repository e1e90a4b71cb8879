import type { MessageChannelRow } from '../../api/requests';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';

export type ResendWarning = { channelRow: MessageChannelRow; text: string };

export function ResendDialog({
  warning,
  onClose,
  onConfirm,
}: {
  warning: ResendWarning;
  onClose: () => void;
  onConfirm: () => void;
}) {
  return (
    <Dialog title={`Resend ${warning.channelRow.channel}`} onClose={onClose}>
      <p>{warning.text}</p>
      <div className="dialog-foot">
        <Button look="main-action" onClick={onConfirm}>
          Resend anyway
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
