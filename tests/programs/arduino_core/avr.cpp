/* The serial line and the clock of an ATmega328P at 16 MHz, as far as the sketch Stream needs them, without interrupts for
   bytes: the simulator keeps those that the program has not read. */
#include "Arduino.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>

SerialLine Serial;

static volatile uint32_t overflows;
ISR(TIMER1_OVF_vect) { overflows++; }

/* Half microseconds. */
static uint32_t ticks()
{
    uint8_t status = SREG;
    cli();
    uint16_t low = TCNT1;
    uint32_t high = overflows;
    if ((TIFR1 & (1 << TOV1)) && low < 0x8000)
        high++;
    SREG = status;
    return high << 16 | low;
}

unsigned long micros() { return ticks() / 2; }
unsigned long millis() { return ticks() / 2000; }

void SerialLine::begin(unsigned long)
{
    UCSR0A = 1 << U2X0;
    UBRR0 = 16;
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
}

SerialLine::operator bool() const { return true; }
int SerialLine::available() { return UCSR0A & (1 << RXC0) ? 1 : 0; }
int SerialLine::read() { return available() ? UDR0 : -1; }

size_t SerialLine::readBytes(char *to, size_t count)
{
    for (size_t got = 0; got < count; got++) {
        unsigned long start = micros();
        while (!available())
            if (micros() - start > 1000000)
                return got;
        to[got] = (char)UDR0;
    }
    return count;
}

size_t SerialLine::write(uint8_t byte)
{
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = byte;
    return 1;
}

size_t SerialLine::write(const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write(from[i]);
    return count;
}

size_t SerialLine::print(const char *text) { return write((const uint8_t *)text, strlen(text)); }
size_t SerialLine::println(const char *text) { return print(text) + print("\r\n"); }

size_t SerialLine::print(const __FlashStringHelper *text)
{
    const char *at = (const char *)text;
    size_t count = 0;
    for (uint8_t letter; (letter = pgm_read_byte(at)) != 0; at++)
        count += write(letter);
    return count;
}

size_t SerialLine::println(const __FlashStringHelper *text) { return print(text) + print("\r\n"); }

int main()
{
    TCCR1B = 1 << CS11;
    TIMSK1 = 1 << TOIE1;
    sei();
    setup();
    for (;;)
        loop();
}
