import { type ComponentProps, useState } from 'react';
import { Button } from './controls';
import { Field } from './field';

/** A password field that can show its text. */
export function SecretField(props: ComponentProps<typeof Field>) {
  const [isShown, setShown] = useState(false);
  return (
    <Field
      {...props}
      spellCheck={false}
      type={isShown ? 'text' : 'password'}
      after={
        <ShowButton label={props.label} isShown={isShown} onToggle={() => setShown(!isShown)} />
      }
    />
  );
}

export function ShowButton({
  label,
  isShown,
  onToggle,
}: {
  label: string;
  isShown: boolean;
  onToggle: () => void;
}) {
  return (
    <Button onClick={onToggle}>
      {isShown ? 'Hide' : 'Show'}
      <span className="vh"> {label}</span>
    </Button>
  );
}
